# SPDX-License-Identifier: MIT
# wpp: whole program paths for GCC.
#
#   make                 everything, into build/$(CONFIG)
#   make demo            record, compress and explain a real program  [PROGRAM=bzip2, lua5.4, ...]
#   make page            the page of `wpp-report --html`, which needs clang, wasi-libc and npm to build (scripts/deps --page)
#   make check           all ordinary tests; ends with `N passed, N failed, N skipped`
#                        [CHECK_ALL=yes: at all levels and in all forms of programs that they know]
#   make check-unit      the unit tests alone: half a minute
#   make check-torture   GCC's own execution tests, plainly and traced, at -O0, -O2, -O3, -flto
#   make check-all       `check`; all with GCC 11 too; whole Debian programs at -O0, -O2, -O3; two servers under load; other configurations
#   make check-suites    large programs' own tests, plainly and recorded: git, CPython, perl, cppcheck, PostgreSQL, PHP (an hour and a half)
#   make check-others    twenty programs' own tests, plainly and traced, three commands of each recorded (two hours)
#   make check-gcc-14    the tests with another GCC, 11 to 16; of this machine, or in a Debian system of its own
#                        (scripts/gcc-root)  [QUICK=1: a selection]
#   make bench           every figure of docs/performance.md
#   make bench-engine    the engine and its file beside zstd, xz and plain SEQUITUR(1)
#   make bench-queries   how long questions to a recorded run take
#   make bench-hot       hot subpaths of real programs against their expanded traces
#   make papers          the papers' tables, on today's programs: build/papers/papers.md (an hour and a half)
#                        [PROGRAMS="gzip perl"]  [PAPERS_SIZE=small: two minutes]  [PAPERS_TABLES=samples]
#   make bench-samples   how accurate paths from branch records are: docs/samples.md
#   make figure9         the number of hot subpaths by length: Figure 9 of the paper
#   make fuzz            libFuzzer against the engine and the reader, each for FUZZ_SECONDS (3600)
#   make install         PREFIX=/usr/local DESTDIR=
#
# CONFIG=release|debug|asan|ubsan|hostile each build in a folder of their own.
# V=1 shows the commands.

CONFIG  ?= release
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= gcc
CXX     ?= g++
ifeq ($(origin CC),default)
CC      := gcc
endif
ifeq ($(origin CXX),default)
CXX     := g++
endif
# The compiler whose plugin is built; its headers decide the version that may load it.
PLUGIN_GCC ?= $(CC)
PLUGIN_GXX ?= $(CXX)
PROGRAM ?=

Q := $(if $(V),,@)
say = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-8s%s\n' '$(1)' '$(2)')

B := build/$(CONFIG)

# ---- Flags: one line a configuration --------------------------------------
CONFIG_release := -O2 -g -DNDEBUG
# The engine's inner loops: 5 to 25 % faster.
SEQ_release    := -O3
# Tests are compiled more often than they run.
TEST_release   := -O1 -g1
CONFIG_debug   := -O0 -g3
CONFIG_asan    := -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
CONFIG_ubsan   := -O1 -g -fsanitize=undefined -fno-sanitize-recover=undefined
CONFIG_hostile := -O1 -g -DWPP_HOSTILE -fsanitize=address,undefined -fno-sanitize-recover=undefined
ifeq ($(CONFIG_$(CONFIG)),)
$(error CONFIG must be one of release, debug, asan, ubsan, hostile)
endif
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
CPPFLAGS += -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
CFLAGS_  := -std=gnu17 $(CONFIG_$(CONFIG)) $(WARN) $(CFLAGS)
# The libraries' code may become part of a shared one; what its header declares is all that others see.
LIB_CFLAGS := -fPIC -fvisibility=hidden -fno-semantic-interposition
LDLIBS_  := -lzstd -lpthread -lm

# The runtime and the plugin live inside other programs: always plain code.  The runtime is
# text of every program and runs once a chunk: it is compiled for size.  A release has no debug
# information of it, which is most of what a linker would have to read.
RT_CFLAGS := -std=gnu17 -Os $(if $(filter release,$(CONFIG)),,-g) -fPIC -fvisibility=hidden \
             -mgeneral-regs-only -fno-stack-protector -fcf-protection=none -ftls-model=initial-exec -fno-tree-loop-distribute-patterns $(WARN)
PLUGIN_DIR   = $(shell $(PLUGIN_GCC) -print-file-name=plugin)
# Lines and names are enough for a backtrace.
PLUGIN_FLAGS = -O2 $(if $(filter debug,$(CONFIG)),-g,-g1) -fPIC -fvisibility=hidden -I. -isystem $(PLUGIN_DIR)/include \
               -D'WPP_VERSION="$(VERSION)"' -Wall -Wextra
PLUGIN_CXXFLAGS := -std=gnu++17 -fno-rtti -fno-exceptions

# ---- Files ------------------------------------------------------------------
in_rooms = $(wildcard $(addprefix $(1)/,$(2)) $(addprefix $(1)/*/,$(2)))
TOOL_SRC := $(wildcard wpp/cli/wpp*.c hotpaths/cli/wpp*.c)
SEQ_SRC  := $(call in_rooms,sequitur,*.c)
WPP_SRC  := $(filter-out $(TOOL_SRC),$(call in_rooms,wpp,*.c))
HOT_SRC  := $(filter-out $(TOOL_SRC),$(call in_rooms,hotpaths,*.c))
RT_ALONE := tracer/nop.c tracer/begin.c tracer/start.c tracer/entry.c
RT_SRC   := $(filter-out $(RT_ALONE),$(wildcard tracer/*.c)) $(wildcard tracer/*.S)
NOP_SRC  := $(wildcard tracer/nop.c) $(wildcard tracer/*.S)
P3_SRC   := $(wildcard gcc-plugin/partition/cli/*.c)
PLUGIN_SRC := $(call in_rooms,gcc-plugin,*.cc)
# They include no header of GCC's.
PLUGIN_ALONE := gcc-plugin/events/support-code.cc gcc-plugin/table/unit-table.cc gcc-plugin/use/counts-file.cc gcc-plugin/use/routine-hash.cc
NUM_SRC  := $(filter-out gcc-plugin/loader.c,$(call in_rooms,gcc-plugin,*.c))
UNIT_SRC := $(wildcard test/unit/*.c)
REF_MAIN := $(wildcard test/reference/read-*.c)
REF_SRC  := $(filter-out $(REF_MAIN),$(wildcard test/reference/*.c))
BENCH_SRC := $(wildcard test/bench/*.c)
DRIVER_SRC := $(wildcard driver/*.c)
VERSION  := $(shell sed -n 's/^.define WPP_VERSION "\(.*\)"$$/\1/p' wpp/wpp.h)

obj      = $(patsubst %,$(B)/obj/%.o,$(basename $(1)))
LIBSEQ   := $(B)/lib/libsequitur.a
LIBWPP   := $(B)/lib/libwpp.a
LIBHOT   := $(B)/lib/libhotpaths.a
LIBREF   := $(B)/lib/libreference.a
LIBNUM   := $(B)/lib/libnumbering.a
LIBPAGE  := $(B)/lib/libpage.a
LIBS     := $(LIBHOT) $(LIBWPP) $(LIBSEQ)
# As others link them: the rooms that a public header leads to, and its names alone (NAME.symbols).
PUBLIC   := sequitur wpp hotpaths
PUBLIC_sequitur := $(SEQ_SRC)
PUBLIC_wpp := $(filter wpp/base/% wpp/format/% wpp/read/% wpp/replay/%,$(WPP_SRC))
PUBLIC_hotpaths := $(filter-out hotpaths/report/%,$(HOT_SRC))
SO       := 0
PUBLIC_LIBS := $(foreach l,$(PUBLIC),$(B)/public/lib$(l).a $(B)/public/lib$(l).so.$(SO))
RT       := $(B)/lib/wpp/libwpp-rt.a $(B)/lib/wpp/libwpp-rt.so $(B)/lib/wpp/libwpp-rt-nop.a \
            $(B)/lib/wpp/libwpp-rt.o $(B)/lib/wpp/libwpp-rt.list $(B)/lib/wpp/libwpp-begin.o \
            $(B)/lib/wpp/libwpp-start.o $(B)/lib/wpp/libwpp-entry.o
# wpp.so loads the plugin of the GCC that runs it; each GCC has one.  The objects are
# those of one full version: another GCC 12 makes them anew.
PLUGIN_VERSION := $(shell $(PLUGIN_GCC) -dumpfullversion 2>/dev/null || echo 12)
PLUGIN_MAJOR := $(firstword $(subst ., ,$(PLUGIN_VERSION)))
PLUGIN   := $(B)/lib/wpp/wpp.so $(B)/lib/wpp/wpp-$(PLUGIN_MAJOR).so
PLUGIN_OBJ = $(B)/obj/gcc-plugin-$(PLUGIN_VERSION)
PLUGIN_PCH = $(PLUGIN_OBJ)/precompiled.h.gch
TOOLS    := $(patsubst %.c,$(B)/bin/%,$(notdir $(TOOL_SRC))) $(B)/bin/wpp-p3
SCRIPTS  := $(B)/bin/wpp-config
DRIVER   := $(B)/bin/wpp-gcc
# It does what it is called.
DRIVER_LINKS := $(addprefix $(B)/bin/,wpp-g++ wpp-gcc-ar wpp-gcc-nm wpp-gcc-ranlib)
COMMANDS := $(TOOLS) $(SCRIPTS) $(DRIVER) $(DRIVER_LINKS)
UNITS    := $(patsubst test/unit/%.c,$(B)/test/unit/%,$(UNIT_SRC))
REFS     := $(patsubst test/reference/%.c,$(B)/test/%,$(REF_MAIN))
BENCHES  := $(patsubst test/bench/%.c,$(B)/test/bench/%,$(BENCH_SRC))

.PHONY: all tests demo check check-unit check-torture check-suites check-others check-all bench bench-engine bench-hot bench-queries bench-samples figure9 papers fuzz install uninstall clean
.PRECIOUS: $(B)/obj/%.o
.DELETE_ON_ERROR:

all: $(COMMANDS) $(RT) $(PLUGIN) $(PUBLIC_LIBS) $(B)/include/wpp/control.h
tests: all $(UNITS) $(REFS) $(BENCHES) page-if-can
	@rm -f $(filter-out $(UNITS),$(wildcard $(B)/test/unit/*))

# Goals that promise to work from nothing install what is missing first.
DEPS :=
ifneq ($(filter demo check check-unit check-torture check-suites check-others bench bench-engine bench-hot bench-queries bench-samples figure9 papers,$(MAKECMDGOALS)),)
DEPS := build/deps
endif
ifneq ($(filter fuzz fuzz-%,$(MAKECMDGOALS)),)
DEPS := build/deps-fuzz
endif
ifneq ($(filter check-all check-here-gcc-%,$(MAKECMDGOALS)),)
DEPS := build/deps-all
endif
build/deps build/deps-all build/deps-fuzz: scripts/deps
	@mkdir -p build
	@scripts/deps $(patsubst build/deps-%,--%,$(filter build/deps-%,$@))
	@touch $@

# ---- Rules --------------------------------------------------------------------
$(B)/obj/tracer/%.o: tracer/%.c Makefile | $(DEPS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(RT_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/obj/tracer/%.o: tracer/%.S Makefile | $(DEPS)
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) $(CPPFLAGS) $(RT_CFLAGS) -MMD -MP -c -o $@ $<
# GCC's headers take half of each file's time: they are compiled once, for the files that include them.
$(PLUGIN_PCH): gcc-plugin/precompiled.h Makefile | $(DEPS)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)cp $< $(basename $@)
	$(Q)$(PLUGIN_GXX) $(PLUGIN_FLAGS) $(PLUGIN_CXXFLAGS) -MMD -MP -MF $(basename $@).d -x c++-header -o $@ $<
$(patsubst gcc-plugin/%.cc,$(PLUGIN_OBJ)/%.o,$(filter-out $(PLUGIN_ALONE),$(PLUGIN_SRC))): $(PLUGIN_PCH)
$(PLUGIN_OBJ)/%.o: gcc-plugin/%.cc Makefile | $(DEPS)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(PLUGIN_GXX) $(PLUGIN_FLAGS) $(PLUGIN_CXXFLAGS) $(if $(filter $(PLUGIN_PCH),$^),-include $(basename $(PLUGIN_PCH))) \
	    -MMD -MP -c -o $@ $<
$(B)/obj/gcc-plugin/%.o: gcc-plugin/%.c Makefile | $(DEPS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(PLUGIN_GCC) -I. -D_GNU_SOURCE -std=gnu17 -O2 -g -fPIC -fvisibility=hidden $(WARN) -MMD -MP -c -o $@ $<
# Tests take the numbering with the flags of their configuration, in a release as the plugin has it.
$(B)/obj/numbering/%.o: gcc-plugin/%.c Makefile | $(DEPS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS_) -MMD -MP -c -o $@ $<
# The driver becomes the compiler: no configuration's checks may come with it.
$(B)/obj/plain/%.o: %.c Makefile | $(DEPS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) -std=gnu17 -O2 -g $(WARN) -MMD -MP -c -o $@ $<
$(B)/obj/%.o: %.c Makefile | $(DEPS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS_) -MMD -MP -c -o $@ $<

$(call obj,$(SEQ_SRC)): CFLAGS_ += $(SEQ_$(CONFIG))
$(call obj,$(UNIT_SRC)): CFLAGS_ += $(TEST_$(CONFIG))
$(call obj,$(SEQ_SRC) $(WPP_SRC) $(HOT_SRC)): CFLAGS_ += $(LIB_CFLAGS)
# Only called where the processor has AVX2 (sequitur/vectors.h).
$(call obj,sequitur/vectors-avx2.c): CFLAGS_ += $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-mavx2)
$(LIBSEQ): $(call obj,$(SEQ_SRC))
$(LIBWPP): $(call obj,$(WPP_SRC))
$(LIBHOT): $(call obj,$(HOT_SRC))
$(LIBPAGE): $(call obj,$(wildcard report/*.c))
$(LIBREF): $(call obj,$(REF_SRC))
$(LIBNUM): $(if $(filter release,$(CONFIG)),$(call obj,$(NUM_SRC)),$(patsubst gcc-plugin/%.c,$(B)/obj/numbering/%.o,$(NUM_SRC)))
# One member: linkers take longer over several, and all are needed.
$(B)/lib/wpp/libwpp-rt.a: $(B)/lib/wpp/libwpp-rt.o
$(B)/lib/wpp/libwpp-rt-nop.a: $(call obj,$(NOP_SRC))
%.a:
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsD $@ $^
# ---- The libraries as others link them ----------------------------------------------
define public_library
$(B)/public/$(1).o: $(call obj,$(PUBLIC_$(1)))
$(B)/public/lib$(1).a: $(B)/public/$(1).o
$(B)/public/$(1).map: $(1)/$(1).symbols
$(B)/public/lib$(1).so.$(SO): $(B)/public/$(1).o $(B)/public/$(1).map
endef
$(foreach l,$(PUBLIC),$(eval $(call public_library,$(l))))
$(B)/public/libwpp.so.$(SO): $(B)/public/libsequitur.so.$(SO)
$(B)/public/libhotpaths.so.$(SO): $(B)/public/libwpp.so.$(SO)
# One member: what only its files need of each other is local then.
$(B)/public/%.o:
	@mkdir -p $(@D)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && objcopy --localize-hidden $@
$(B)/public/%.map:
	@mkdir -p $(@D)
	$(Q){ echo 'WPP_$(SO) {'; echo 'global:'; sed 's/$$/;/' $<; echo 'local: *;'; echo '};'; } > $@
$(B)/public/lib%.so.$(SO):
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_) -shared -Wl,-soname,$(@F),--version-script=$(filter %.map,$^) -o $@ \
	    $(filter %.o,$^) $(filter %.so.$(SO),$^) $(LDLIBS_)

# For programs that hide what archives bring.
$(B)/lib/wpp/libwpp-rt.o: $(call obj,$(RT_SRC))
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -r -nostdlib -o $@ $^
# For executables alone, without start files, static.
$(B)/lib/wpp/libwpp-begin.o $(B)/lib/wpp/libwpp-start.o $(B)/lib/wpp/libwpp-entry.o: \
        $(B)/lib/wpp/libwpp-%.o: $(B)/obj/tracer/%.o
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(B)/lib/wpp/libwpp-rt.so: $(call obj,$(RT_SRC))
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libwpp-rt.so -Wl,-z,defs -o $@ $^ -lpthread
# What a program that holds the runtime exports to its libraries: what the shared one does.
$(B)/lib/wpp/libwpp-rt.list: $(B)/lib/wpp/libwpp-rt.so
	$(Q){ echo '{'; nm -D --defined-only $< | sed 's/.* //; s/$$/;/'; echo '};'; } > $@
$(B)/lib/wpp/wpp.so: $(B)/obj/gcc-plugin/loader.o
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(PLUGIN_GCC) -shared -o $@ $^ -ldl
# With what it needs of libstdc++: to load all of that takes longer than to compile a small file.
$(B)/lib/wpp/wpp-$(PLUGIN_MAJOR).so: $(patsubst gcc-plugin/%.cc,$(PLUGIN_OBJ)/%.o,$(PLUGIN_SRC)) \
                                    $(call obj,$(NUM_SRC))
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(PLUGIN_GXX) -shared -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -o $@ $^

$(B)/bin/wpp-dot: TOOL_LIBS = -lgvc -lcgraph
$(B)/bin/wpp-export: TOOL_LIBS = -lz
$(B)/bin/wpp-step: TOOL_LIBS = -ljansson $(or $(shell pkg-config --libs ncursesw 2>/dev/null),-lncursesw -ltinfo)
$(B)/bin/wpp-runs $(B)/bin/wpp-suspects: TOOL_LIBS = -lsqlite3
# It begins half a millisecond sooner without two libraries to load, where they can be had static.
static_lib = $(if $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a)),-l:lib$(1).a,-l$(1))
$(B)/bin/wpp-record: TOOL_LIBS = $(call static_lib,sqlite3) $(call static_lib,zstd)
$(B)/bin/%: $(B)/obj/wpp/cli/%.o $(LIBS)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(LIBS) $(TOOL_LIBS) $(LDLIBS_)
$(B)/bin/%: $(B)/obj/hotpaths/cli/%.o $(LIBS)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(LIBS) $(LDLIBS_)
# It is under the plugin's licence, whose numbering it shares (docs/decisions/0083-wpp-p3-is-under-the-gpl.md).
$(B)/bin/wpp-p3: $(patsubst gcc-plugin/%.c,$(B)/obj/numbering/%.o,$(P3_SRC)) $(LIBNUM) $(LIBS)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBNUM) $(LIBS) $(LDLIBS_)
# It begins faster without the loader.  Another plugin is another compiler: caches look at its time.
$(DRIVER): $(patsubst %.c,$(B)/obj/plain/%.o,$(DRIVER_SRC)) $(PLUGIN)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -static -o $@ $(filter %.o,$^) 2>/dev/null || $(CC) -o $@ $(filter %.o,$^)
$(DRIVER_LINKS): $(DRIVER)
	$(Q)ln -sf wpp-gcc $@
$(B)/bin/%: scripts/%
	@mkdir -p $(@D)
	$(Q)sed 's|@VERSION@|$(VERSION)|' $< > $@ && chmod 755 $@

$(B)/test/unit/numbering: TEST_LIBS = -Wl,--wrap=calloc,--wrap=realloc
$(B)/test/unit/partition: TEST_LIBS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(B)/test/unit/runs: TEST_LIBS = -lsqlite3
$(B)/test/unit/export-memory: TEST_LIBS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc -lz
$(B)/test/unit/tracer%: TEST_LIBS = -Wl,--export-dynamic-symbol=__wpp_* $(B)/lib/wpp/libwpp-rt.a
$(B)/test/unit/page: $(LIBPAGE)
$(B)/test/unit/page: TEST_FIRST = $(LIBPAGE)
$(B)/test/unit/%: $(B)/obj/test/unit/%.o $(LIBREF) $(LIBNUM) $(LIBS) $(B)/lib/wpp/libwpp-rt.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(TEST_FIRST) $(LIBREF) $(LIBNUM) $(LIBS) $(TEST_LIBS) $(LDLIBS_)
$(B)/test/read-%: $(B)/obj/test/reference/read-%.o
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< -lzstd
$(B)/test/bench/%: $(B)/obj/test/bench/%.o $(LIBREF) $(LIBNUM) $(LIBS)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(LIBREF) $(LIBNUM) $(LIBS) $(LDLIBS_)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# ---- Tests, demo, figures -------------------------------------------------------
check: tests
	@CONFIG=$(CONFIG) test/run $(B)
check-unit: $(UNITS)
	@CONFIG=$(CONFIG) test/run $(B) --unit
check-torture: tests
	@test/real/torture -j2 $(B)
check-suites: tests
	@TEST_TIMEOUT=14400 TEST_JOBS=1 test/run $(B) 'test/real/suites git' \
		'test/real/suites python3.11' 'test/real/suites perl' \
		'test/real/suites cppcheck' 'test/real/suites postgresql-15' 'test/real/suites php8.2'
check-others: tests
	@TEST_TIMEOUT=14400 TEST_JOBS=1 test/run $(B) test/real/others
check-all: check
	@for n in 11 12 13 14 15 16; do $(MAKE) --no-print-directory check-gcc-$$n || exit; done
	@$(MAKE) --no-print-directory CONFIG=hostile tests
	@CONFIG=hostile test/run build/hostile --unit
	@CONFIG=$(CONFIG) test/real/check-all $(B)
# With a GCC that this machine has, or can install; else in a system that has it.
QUICK :=
check-gcc-%:
	@if scripts/deps --gcc=$* 2> /dev/null; then \
	    $(MAKE) --no-print-directory check-here-gcc-$* QUICK=$(QUICK); \
	else scripts/gcc-root $* make --no-print-directory check-here-gcc-$* QUICK=$(QUICK); fi
# The plugin of another GCC beside ours, and the tests that compile with `gcc` in its hands.
check-here-gcc-%: tests
	@scripts/deps --gcc=$*
	@$(MAKE) --no-print-directory PLUGIN_GCC=gcc-$* PLUGIN_GXX=g++-$* all
	@CONFIG=$(CONFIG) test/with-gcc $(if $(QUICK),--quick) $* $(B)
demo: all
	@CONFIG=$(CONFIG) scripts/demo $(B) $(PROGRAM)
bench: tests
	@CONFIG=$(CONFIG) test/bench/run $(B)
# Hot subpaths against the expanded traces; Figure 9 of the paper.
bench-hot: tests
	@test/bench/hot $(B)
# Questions to recorded runs: how long each takes.
bench-queries: tests
	@test/bench/queries $(B)
# Paths from branch records against recorded runs.
bench-samples: tests
	@test/bench/samples $(B)
figure9: all
	@test/bench/figure9 $(B)
papers: tests
	@test/bench/papers/run $(B) $(PROGRAMS)
bench-engine: tests
	@test/bench/engine-table $(B)
# A crash leaves its input beside the corpus, in build/fuzz.
FUZZ_SECONDS ?= 3600
fuzz: fuzz-sequitur fuzz-wpp
fuzz-sequitur: FUZZ_LENGTH := 400
fuzz-wpp: FUZZ_LENGTH := 4096
fuzz-%: build/fuzz/%
	@mkdir -p build/fuzz/corpus.$*
	@cd build/fuzz && ./$* -max_len=$(FUZZ_LENGTH) -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 corpus.$*
build/fuzz/sequitur: $(SEQ_SRC) $(wildcard sequitur/*.h test/unit/*.h)
build/fuzz/wpp: $(WPP_SRC) $(SEQ_SRC) $(NUM_SRC) $(foreach top,wpp sequitur gcc-plugin test/unit,$(call in_rooms,$(top),*.h))
build/fuzz/wpp: FUZZ_LIBS = $(LDLIBS_) -lz -lsqlite3
build/fuzz/%: test/fuzz/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(call say,CLANG,$@)
	$(Q)clang $(CPPFLAGS) -std=gnu17 -g -O1 -DWPP_HOSTILE -fsanitize=fuzzer,address,undefined \
	    $(if $(shell grep -m1 -w avx2 /proc/cpuinfo),-mavx2) \
	    -fno-sanitize-recover=undefined $(WARN) -o $@ $(filter %.c,$^) $(FUZZ_LIBS)

$(B)/include/wpp/%.h: tracer/%.h
	$(Q)install -D -m 644 $< $@

include report/page.mk

# ---- Install ----------------------------------------------------------------------
D := $(DESTDIR)$(PREFIX)
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
ifneq ($(words [$(D)]),1)
$(error PREFIX and DESTDIR may hold no blanks: `$(D)`)
endif
endif
install: all
	$(Q)install -d $(D)/bin $(D)/lib/wpp $(D)/lib/pkgconfig $(D)/include/wpp $(D)/share/man/man1 \
	    $(D)/share/doc/wpp/docs/decisions $(D)/share/doc/wpp/docs/pictures
	$(Q)install -m 755 $(TOOLS) $(SCRIPTS) $(DRIVER) $(D)/bin
	$(Q)for tool in $(notdir $(DRIVER_LINKS)); do ln -sf wpp-gcc $(D)/bin/$$tool; done
	$(Q)install -m 755 $(B)/lib/wpp/*.so $(D)/lib/wpp
	$(Q)install -m 644 $(B)/lib/wpp/*.a $(B)/lib/wpp/*.o $(B)/lib/wpp/libwpp-rt.list $(D)/lib/wpp
	$(Q)if [ -f $(B)/lib/wpp/page.html ]; then install -m 644 $(B)/lib/wpp/page.html $(D)/lib/wpp; fi
	$(Q)install -m 644 $(PUBLIC_LIBS) $(D)/lib
	$(Q)for l in $(PUBLIC); do ln -sf lib$$l.so.$(SO) $(D)/lib/lib$$l.so; done
	$(Q)install -m 644 wpp/wpp.h hotpaths/hotpaths.h sequitur/sequitur.h tracer/control.h $(D)/include/wpp
	$(Q)sed 's|@VERSION@|$(VERSION)|' scripts/wpp.pc.in > $(D)/lib/pkgconfig/wpp.pc
	$(Q)install -m 644 $(wildcard docs/man/*.1) $(D)/share/man/man1
	$(Q)install -m 644 README.md LICENSE $(D)/share/doc/wpp
	$(Q)install -m 644 $(wildcard docs/*.md docs/*.c) $(D)/share/doc/wpp/docs
	$(Q)install -m 644 $(wildcard docs/decisions/*.md) $(D)/share/doc/wpp/docs/decisions
	$(Q)install -m 644 $(wildcard docs/pictures/*.svg docs/pictures/*.png) $(D)/share/doc/wpp/docs/pictures
	$(Q)install -D -m 644 scripts/completion.bash $(D)/share/bash-completion/completions/wpp
	$(Q)for tool in $(notdir $(filter-out %/wpp,$(COMMANDS))); do \
	    ln -sf wpp $(D)/share/bash-completion/completions/$$tool; done
	$(Q)install -D -m 644 scripts/completion.zsh $(D)/share/zsh/site-functions/_wpp
	$(Q)install -D -m 644 scripts/completion.fish $(D)/share/fish/vendor_completions.d/wpp.fish
	$(Q)for tool in $(notdir $(filter-out %/wpp,$(COMMANDS))); do \
	    ln -sf wpp.fish $(D)/share/fish/vendor_completions.d/$$tool.fish; done
uninstall:
	$(Q)rm -f $(patsubst $(B)/bin/%,$(D)/bin/%,$(COMMANDS)) $(D)/lib/pkgconfig/wpp.pc \
	    $(foreach l,$(PUBLIC),$(addprefix $(D)/lib/lib$(l).,a so so.$(SO))) \
	    $(patsubst docs/man/%,$(D)/share/man/man1/%,$(wildcard docs/man/*.1)) \
	    $(patsubst $(B)/bin/%,$(D)/share/bash-completion/completions/%,$(COMMANDS)) \
	    $(patsubst $(B)/bin/%,$(D)/share/fish/vendor_completions.d/%.fish,$(COMMANDS)) \
	    $(D)/share/zsh/site-functions/_wpp
	$(Q)rm -rf $(D)/lib/wpp $(D)/include/wpp $(D)/share/doc/wpp
clean:
	$(Q)rm -rf build
