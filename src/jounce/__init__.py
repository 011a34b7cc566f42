"""Robot dynamics and all the derivatives of it."""

from jounce import forks as _forks  # noqa: F401 - a fork waits for imports from now on
from jounce import sources as _sources  # noqa: F401 - notes which files are about to be loaded
from jounce.lazy import attach

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = attach(__name__, __file__)
__all__ += ["__version__"]
