# Targets for users and packagers. They call the scripts in scripts/.
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
BASH_COMPLETIONS ?= $(DATADIR)/bash-completion/completions
ZSH_COMPLETIONS ?= $(DATADIR)/zsh/site-functions
FISH_COMPLETIONS ?= $(DATADIR)/fish/vendor_completions.d
# The folder of the built programs.
RELEASE ?= .build/release
INSTALL ?= install
INSTALL_PROGRAM ?= $(INSTALL)

PROGRAMS = swiftplay swiftplay-compositor swiftplay-backgroundd swiftplay-transfer
MAN1 = docs/man/swiftplay.1 docs/man/swiftplay-compositor.1 docs/man/swiftplay-backgroundd.1
MAN7 = docs/man/swiftplay-ipc.7
# Each data file of packaging/, with the folder below DATADIR and the name that it gets.
DATA = swiftplay.desktop:applications/swiftplay.desktop \
	swiftplay.metainfo.xml:metainfo/org.swiftplay.swiftplay.metainfo.xml \
	swiftplay.svg:icons/hicolor/scalable/apps/swiftplay.svg \
	swiftplay-128.png:icons/hicolor/128x128/apps/swiftplay.png
# The file by which the session bus starts the service for background transfers.
BUS_SERVICE = $(DATADIR)/dbus-1/services/org.swiftplay.Background.service
# Everything that `make install` installs, and `make uninstall` removes.
INSTALLED = $(addprefix $(BINDIR)/,$(PROGRAMS)) \
	$(addprefix $(MANDIR)/man1/,$(notdir $(MAN1))) $(addprefix $(MANDIR)/man7/,$(notdir $(MAN7))) \
	$(foreach file,$(DATA),$(DATADIR)/$(word 2,$(subst :, ,$(file)))) \
	$(BUS_SERVICE) \
	$(BASH_COMPLETIONS)/swiftplay $(ZSH_COMPLETIONS)/_swiftplay $(FISH_COMPLETIONS)/swiftplay.fish

.PHONY: help build test e2e bench lint docs deb install install-strip uninstall

help:
	@echo 'make build          build the programs (scripts/build-release)'
	@echo 'make test           run all tests (scripts/test)'
	@echo 'make e2e            run the end-to-end tests'
	@echo 'make bench          run the benchmarks (scripts/bench)'
	@echo 'make lint           check the format of all files (scripts/lint)'
	@echo 'make docs           render the documentation into .build/docs (scripts/docs)'
	@echo 'make deb            build a Debian package in .build/package (scripts/build-deb)'
	@echo 'make install        install programs, manual pages, completions and desktop files below DESTDIR and PREFIX'
	@echo 'make install-strip  the same, without the debugging information of the programs'
	@echo 'make uninstall      remove what make install installed'

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

deb:
	scripts/build-deb

# Builds the programs only if they are missing, because installation often runs as another user: `make build` renews
# them. A folder of programs that RELEASE names is never built.
$(addprefix $(RELEASE)/,$(PROGRAMS)):
	@test '$(RELEASE)' = .build/release || { echo 'make: $@ is missing' >&2; exit 1; }
	scripts/build-release

install: $(addprefix $(RELEASE)/,$(PROGRAMS))
	$(INSTALL) -d $(sort $(dir $(addprefix $(DESTDIR),$(INSTALLED))))
	$(INSTALL_PROGRAM) -m 755 $(addprefix $(RELEASE)/,$(PROGRAMS)) $(DESTDIR)$(BINDIR)
	$(INSTALL) -m 644 $(MAN1) $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 644 $(MAN7) $(DESTDIR)$(MANDIR)/man7
	for file in $(DATA); do \
		$(INSTALL) -m 644 "packaging/$${file%%:*}" "$(DESTDIR)$(DATADIR)/$${file#*:}" || exit 1; done
	sed 's|@BINDIR@|$(BINDIR)|' packaging/$(notdir $(BUS_SERVICE)) >$(DESTDIR)$(BUS_SERVICE)
	scripts/make-completions $(RELEASE)/swiftplay bash >$(DESTDIR)$(BASH_COMPLETIONS)/swiftplay
	scripts/make-completions $(RELEASE)/swiftplay zsh >$(DESTDIR)$(ZSH_COMPLETIONS)/_swiftplay
	scripts/make-completions $(RELEASE)/swiftplay fish >$(DESTDIR)$(FISH_COMPLETIONS)/swiftplay.fish
	chmod 644 $(addprefix $(DESTDIR),$(BASH_COMPLETIONS)/swiftplay $(ZSH_COMPLETIONS)/_swiftplay \
		$(FISH_COMPLETIONS)/swiftplay.fish)

install-strip:
	$(MAKE) install INSTALL_PROGRAM='$(INSTALL) -s'

uninstall:
	$(RM) $(addprefix $(DESTDIR),$(INSTALLED))
