"""``python -m jounce`` is the ``jounce`` command."""

from jounce.cli import main

if __name__ == "__main__":
    main()
