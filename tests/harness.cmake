# harness
