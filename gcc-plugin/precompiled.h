// SPDX-License-Identifier: GPL-3.0-or-later
// precompiled.h - what most files of the plugin include, for the Makefile to compile once.
//
// Each file includes what it uses all the same.  GCC's headers poison names that the standard
// library's use, so they come last.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gcc-plugin/gcc-compat.h"
