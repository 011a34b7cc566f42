"""The tree that algorithm texts see: links with one primitive motion each, in cheap frames."""
