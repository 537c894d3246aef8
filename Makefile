# Targets for users and packagers. They call the scripts in scripts/.
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
# The folder of the built programs.
RELEASE ?= .build/release
INSTALL ?= install
MAN1 = docs/man/swiftplay.1 docs/man/swiftplay-compositor.1
MAN7 = docs/man/swiftplay-ipc.7

.PHONY: help build test e2e bench lint docs install uninstall

help:
	@echo 'make build      build the programs (scripts/build-release)'
	@echo 'make test       run all tests (scripts/test)'
	@echo 'make e2e        run the end-to-end tests'
	@echo 'make bench      run the benchmarks (scripts/bench)'
	@echo 'make lint       check the format of all files (scripts/lint)'
	@echo 'make docs       render the documentation into .build/docs (scripts/docs)'
	@echo 'make install    install the built programs and manual pages below DESTDIR and PREFIX'
	@echo 'make uninstall  remove what make install installed'

build:
	scripts/install-dependencies build
	scripts/build-release

test:
	scripts/test

e2e:
	scripts/test --filter EndToEndTests

bench:
	scripts/bench

lint:
	scripts/lint

docs:
	scripts/docs

# Does not build, because installation often runs as another user.
install:
	@test -x $(RELEASE)/swiftplay && test -x $(RELEASE)/swiftplay-compositor || \
		{ echo 'make: no programs in $(RELEASE): run "make build" first' >&2; exit 1; }
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man7
	$(INSTALL) -m 755 $(RELEASE)/swiftplay $(RELEASE)/swiftplay-compositor $(DESTDIR)$(BINDIR)
	$(INSTALL) -m 644 $(MAN1) $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 644 $(MAN7) $(DESTDIR)$(MANDIR)/man7

uninstall:
	$(RM) $(addprefix $(DESTDIR)$(BINDIR)/,swiftplay swiftplay-compositor)
	$(RM) $(addprefix $(DESTDIR)$(MANDIR)/man1/,$(notdir $(MAN1)))
	$(RM) $(addprefix $(DESTDIR)$(MANDIR)/man7/,$(notdir $(MAN7)))
