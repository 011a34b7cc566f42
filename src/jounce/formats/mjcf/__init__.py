"""MJCF files, through MuJoCo's own parser and compiler (extra ``jounce[mjcf]``)."""
