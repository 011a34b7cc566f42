"""Numbers and small vectors every algorithm text is written in; no array library here."""
