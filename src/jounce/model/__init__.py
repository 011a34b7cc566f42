"""The robot: records, builder, checks, files of our own, bundled data."""
