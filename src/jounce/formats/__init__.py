"""Robot descriptions of others: URDF, MJCF, DH tables, screws."""
