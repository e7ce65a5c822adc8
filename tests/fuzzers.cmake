# fuzzers
