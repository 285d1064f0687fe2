PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# What takes the names of functions out of the program, which is then less than half as large;
# `STRIP=:` leaves them in.
STRIP ?= strip

# One file that needs nothing of the machine but Linux: the C library is in it too. It is built apart, since
# these options would make everything that `swift build` has made anew. Darwin has Swift's libraries in the
# system, and links no others. Functions of the same code become one, and half a megabyte of the names of all
# characters stays out: whoever asks the library for one would end the program. The types of the library's
# collections are made by functions and not from their names, for which the runtime would search all conformances.
# `-Osize`: a smaller program starts sooner, and most of its loops take as long (docs/internals/decisions/0040).
# `-gnone`: the facts for a debugger hold the path of the sources; what is released knows none (decision 54).
release = -c release --product capsule -Xswiftc -Osize -Xswiftc -gnone -Xswiftc -num-threads -Xswiftc 2
ifeq ($(shell uname -s),Linux)
release += --scratch-path .build/dist -Xswiftc -static-executable -Xswiftc -use-ld=lld \
  -Xswiftc -DCAPSULE_STATIC -Xlinker --gc-sections -Xswiftc -Xfrontend -Xswiftc -function-sections \
  -Xlinker --no-eh-frame-hdr -Xlinker '$(CURDIR)/Scripts/left-out.ld' -Xlinker --icf=all \
  -Xlinker --wrap=_swift_stdlib_getScalarName -Xlinker --defsym=__wrap__swift_stdlib_getScalarName=abort \
  -Xswiftc -Xfrontend -Xswiftc -disable-implicit-string-processing-module-import \
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
  $(LTO)
# The whole program, Swift's library but the C library too, is compiled once more as one when a release for others
# is linked: smaller by a twentieth, and twice as long in the making. `make dist LTO=` leaves it out.
dist-program: LTO ?= --experimental-lto-mode=full
endif

share := $(DESTDIR)$(PREFIX)/share
program := $(DESTDIR)$(PREFIX)/bin/capsule
bash := $(share)/bash-completion/completions
zsh := $(share)/zsh/site-functions
fish := $(share)/fish/vendor_completions.d

.PHONY: build test test-full check format bench release dist-program dist install uninstall

build:
	$(SWIFT) build

test:
	$(SWIFT) test

test-full:
	CAPSULE_TEST_SCALE=full $(SWIFT) test

check:
	$(SWIFT) format lint --strict -r Sources Tests Fuzz Benchmarks Package.swift
	$(SWIFT) test --filter 'GeneratedFilesTests|CommandTableTests|PackageTests'

format:
	$(SWIFT) format -i -r Sources Tests Fuzz Benchmarks Package.swift

bench:
	Scripts/bench

# The passes of the optimizer are written in Swift: the order of their sets must not be another in each run.
release: export SWIFT_DETERMINISTIC_HASHING = 1
release:
	$(SWIFT) build $(release)

# What is attached to a release, in dist/. It is built from the commit, and in one directory whoever builds it.
dist:
	Scripts/dist $(TAG)

# The program of a release, with the names of its functions and without.
dist-program: release
	cp "$$($(SWIFT) build $(release) --show-bin-path)/capsule" .build/capsule
	cp .build/capsule .build/capsule-stripped
	$(STRIP) .build/capsule-stripped

install: release
	Scripts/install "$$($(SWIFT) build $(release) --show-bin-path)/capsule" '$(PREFIX)' '$(DESTDIR)'
	$(STRIP) '$(program)'
	@echo
	@echo 'Installed:'
	@echo "  the program      $(program) ($$(($$(wc -c < '$(program)') / 1000000)) MB)"
	@echo "  $$(ls man | wc -l | tr -d ' ') man pages     $(share)/man/man1/capsule*.1, in man5 and man7"
	@echo '  for bash         $(bash)/capsule'
	@echo '  for zsh          $(zsh)/_capsule'
	@echo '  for fish         $(fish)/capsule.fish'
	@echo '  for systemd      $(share)/systemd/user/capsule-*'
	@echo '  documents        $(share)/doc/capsule'
	@echo "'make uninstall PREFIX=$(PREFIX)' removes them, and nothing that you keep."
	@case ":$$PATH:" in *':$(PREFIX)/bin:'*) ;; \
	  *) echo "Your PATH does not have $(PREFIX)/bin yet." ;; esac

uninstall:
	rm -f '$(program)' '$(bash)/capsule' '$(zsh)/_capsule' '$(fish)/capsule.fish'
	cd '$(share)/man' && rm -f man1/capsule.1 man1/capsule-*.1 man5/capsule-*.5 man7/capsule-*.7
	rm -f '$(share)'/systemd/user/capsule-check.* '$(share)'/systemd/user/capsule-sync.*
	rm -rf '$(share)/doc/capsule'
