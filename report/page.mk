# SPDX-License-Identifier: MIT
# page.mk - the HTML page of `wpp-report --html`: libwpp compiled to WebAssembly, scripts, styles, in one
# file, build/page/page.html.  It is the same for all configurations.
#
#   make page            build it; installs nothing: scripts/deps --page does
#
# zstd's decompressor is compiled from Debian's source package; Debian has no WebAssembly library of it.
PAGE     := build/page
WASM_CC  ?= clang
# What the page never does is left out: files, threads, compression of traces.
WASM_NOT := wpp/base/demangle.c wpp/base/nameless-file.c wpp/base/whole-file.c wpp/format/segments.c \
            wpp/profile/profile-sum.c
PAGE_SRC := $(wildcard report/*.c)
WASM_SRC := $(filter-out $(WASM_NOT),$(filter wpp/base/% wpp/format/% wpp/read/% wpp/replay/% wpp/profile/% \
            wpp/compare/%,$(WPP_SRC)) $(HOT_SRC)) $(PAGE_SRC) $(wildcard report/wasm/*.c)
WASM_OBJ := $(patsubst %.c,$(PAGE)/obj/%.o,$(WASM_SRC))
WASM_FLAGS := --target=wasm32-wasi -std=gnu17 -O2 -DNDEBUG -Ireport/wasm/include -I. -I$(PAGE)/zstd -D_GNU_SOURCE \
              -mnontrapping-fptoint -msign-ext -ffunction-sections -fdata-sections
ZSTD_FLAGS := --target=wasm32-wasi -O2 -DNDEBUG -DZSTD_DISABLE_ASM -DZSTD_STRIP_ERROR_STRINGS -DZSTD_LEGACY_SUPPORT=0 \
              -DZSTD_TRACE=0 -DDYNAMIC_BMI2=0 -ffunction-sections -fdata-sections
PAGE_JS  := $(wildcard report/page/*)
# Each of these must be there for `make page`; what is missing is what it prints.
PAGE_LACKS = $(strip $(foreach tool,$(WASM_CC) wasm-ld node npm,$(if $(shell command -v $(tool)),,$(tool))) \
             $(if $(wildcard /usr/include/wasm32-wasi/stdio.h),,wasi-libc) \
             $(if $(wildcard $(shell $(WASM_CC) -print-resource-dir 2>/dev/null)/lib/wasi/*.a),,libclang-rt-dev-wasm32))

.PHONY: page page-if-can page-lacks
page: $(if $(PAGE_LACKS),page-lacks,$(B)/lib/wpp/page.html)
page-lacks:
	@echo 'make page: missing: $(PAGE_LACKS); scripts/deps --page installs them' >&2; exit 1
# For the tests: without the tools, or without network for what is fetched, there is no page.
page-if-can:
	$(Q)$(if $(PAGE_LACKS),:,$(MAKE) --no-print-directory page || echo 'make page failed: test/e2e/page.sh says why')
$(B)/lib/wpp/page.html: $(PAGE)/page.html
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(PAGE)/zstd/zstd.h:
	@mkdir -p $(@D)
	$(call say,FETCH,libzstd)
	$(Q)tree=$$(scripts/fetch-source libzstd) && cp $$tree/lib/zstd_errors.h $(@D) && \
	    cp -r $$tree/lib/common $$tree/lib/decompress $(@D) && cp $$tree/LICENSE $(@D) && cp $$tree/lib/zstd.h $@
$(PAGE)/obj/%.o: %.c report/page.mk | $(PAGE)/zstd/zstd.h
	@mkdir -p $(@D)
	$(call say,WASM,$<)
	$(Q)$(WASM_CC) $(WASM_FLAGS) -MMD -MP -c -o $@ $<
$(PAGE)/obj/zstd/.done: $(PAGE)/zstd/zstd.h report/page.mk
	@mkdir -p $(@D)
	$(call say,WASM,$@)
	$(Q)for f in $(PAGE)/zstd/common/*.c $(PAGE)/zstd/decompress/*.c; do \
	    $(WASM_CC) $(ZSTD_FLAGS) -c -o $(PAGE)/obj/zstd/$$(basename $$f .c).o $$f || exit; done
	$(Q)touch $@
$(PAGE)/page.wasm: $(WASM_OBJ) $(PAGE)/obj/zstd/.done
	$(call say,LD,$@)
	$(Q)$(WASM_CC) --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections,--strip-all,-z,stack-size=8388608 \
	    -o $@ $(WASM_OBJ) $(PAGE)/obj/zstd/*.o
# The packages of package-lock.json, and no scripts of theirs.
$(PAGE)/npm/.done: report/package.json report/package-lock.json
	@mkdir -p $(@D)
	$(call say,NPM,$@)
	$(Q)cp $^ $(@D) && cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error > npm.log 2>&1 || \
	    { cat npm.log >&2; exit 1; }
	$(Q)touch $@
$(PAGE)/page.html: $(PAGE)/page.wasm $(PAGE)/npm/.done $(PAGE_JS) report/bundle.mjs
	$(call say,PAGE,$@)
	$(Q)node report/bundle.mjs $(PAGE) $(VERSION)
-include $(WASM_OBJ:.o=.d)
.PHONY: page-what-lacks
page-what-lacks:
	@echo '$(PAGE_LACKS)'
