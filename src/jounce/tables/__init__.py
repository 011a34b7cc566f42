"""Motion tables and logs: columns, files, clocks, units, and the rates of logged positions."""
