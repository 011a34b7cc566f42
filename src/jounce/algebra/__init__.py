"""Numbers, small vectors and series that every text is written in; arrays of rigid motions."""
