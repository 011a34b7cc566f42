"""The tree that algorithm texts see: links with one step of a joint each, in cheap frames."""
