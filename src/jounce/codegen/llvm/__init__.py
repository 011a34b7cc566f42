"""Print programs as LLVM IR and compile them for the host."""
