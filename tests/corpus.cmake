# Recorded real answers against the model alone: a rule that changes must still give what servers gave.
add_test(NAME corpus_replay
  COMMAND shardproof replay ${PROJECT_SOURCE_DIR}/corpus/hash ${PROJECT_SOURCE_DIR}/corpus/order
          ${PROJECT_SOURCE_DIR}/corpus/route ${PROJECT_SOURCE_DIR}/corpus/find
          ${PROJECT_SOURCE_DIR}/corpus/write)
