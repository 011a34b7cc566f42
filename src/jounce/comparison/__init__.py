"""The formulations of inverse dynamics, ours and the papers', measured side by side."""
