# Recorded real answers against the model alone: a rule that changes must still give what servers gave.
add_test(NAME corpus_replay
  COMMAND shardproof replay ${PROJECT_SOURCE_DIR}/corpus/hash ${PROJECT_SOURCE_DIR}/corpus/order
          ${PROJECT_SOURCE_DIR}/corpus/route ${PROJECT_SOURCE_DIR}/corpus/find
          ${PROJECT_SOURCE_DIR}/corpus/write ${PROJECT_SOURCE_DIR}/corpus/shardcollection
          ${PROJECT_SOURCE_DIR}/corpus/chunks ${PROJECT_SOURCE_DIR}/corpus/index
          ${PROJECT_SOURCE_DIR}/corpus/unique ${PROJECT_SOURCE_DIR}/corpus/keychange
          ${PROJECT_SOURCE_DIR}/corpus/refine ${PROJECT_SOURCE_DIR}/corpus/reshard)

# What is said about shard keys, and where it is checked: the pages against the tree.
add_test(NAME test_coverage_doc COMMAND "${SHARDPROOF_PYTHON}"
  "${CMAKE_CURRENT_SOURCE_DIR}/test_coverage_doc.py" $<TARGET_FILE:shardproof> "${PROJECT_SOURCE_DIR}")
