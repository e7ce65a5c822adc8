#!/usr/bin/env bash
# Installs the library into an empty folder and builds a program against it the way a stranger would, with
# pkg-config alone: once with the shared library, once with the static one.
#   test_installed_library.sh CMAKE BUILD_FOLDER SOURCE CC
set -euo pipefail
cmake=$1 build=$2 source=$3 cc=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cmake" --install "$build" --prefix "$folder/usr" >"$folder/install.log"
pc=$(find "$folder/usr" -name shardproof.pc)
sed -i "s|^prefix=.*|prefix=$folder/usr|" "$pc"
export PKG_CONFIG_PATH=${pc%/*}
libdir=$(pkg-config --variable=libdir shardproof)

read -ra flags <<<"$(pkg-config --cflags --libs shardproof)"
"$cc" -std=c17 -Wall -Wextra -Werror "$source" "${flags[@]}" -o "$folder/shared"
LD_LIBRARY_PATH=$libdir "$folder/shared"

read -ra flags <<<"$(pkg-config --static --cflags --libs shardproof)"
flags=("${flags[@]/#-lshardproof/$libdir/libshardproof.a}")
"$cc" -std=c17 -Wall -Wextra -Werror "$source" "${flags[@]}" -o "$folder/static"
"$folder/static"
