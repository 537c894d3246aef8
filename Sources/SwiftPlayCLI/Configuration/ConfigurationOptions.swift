import ArgumentParser

/// The command line options for configuration files. ``StartupArguments`` evaluates most of them before the argument
/// parser reads the command line.
struct ConfigurationOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Read swiftplay.conf and input.conf.")
    var config = true

    @Option(
        help: ArgumentHelp(
            "Folder of the configuration files. Default: ~/.config/swiftplay.", valueName: "folder"))
    var configDir: String?

    @Option(help: ArgumentHelp("Apply these profiles of swiftplay.conf, separated by commas.", valueName: "names"))
    var profile: String?

    @Option(help: ArgumentHelp("Apply the options of this file.", valueName: "file"))
    var include: String?

    @Option(help: ArgumentHelp("Read key bindings from this file instead of input.conf.", valueName: "file"))
    var inputConf: String?

    @Flag(inversion: .prefixedNo, help: "Keep the built-in key bindings that input.conf does not replace.")
    var inputDefaultBindings = true
}

extension ConfigurationOptions {
    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        // `StartupArguments` replaces these options by those that they name.
        guard profile == nil, include == nil else {
            throw ValidationError("--profile and --include take a value: --profile=NAME, --include=FILE.")
        }
    }

    /// The settings that the options describe.
    var settings: ConfigurationSettings {
        var arguments = config ? [] : ["--no-config"]
        if let configDir { arguments.append("--config-dir=\(configDir)") }
        let files = ConfigurationFiles(commandLine: arguments)
        return ConfigurationSettings(
            inputPath: inputConf.map(files.expanded) ?? files.path(of: "input.conf"),
            isInputPathGiven: inputConf != nil, keepsDefaultBindings: inputDefaultBindings)
    }
}

/// The places and the use of configuration files, as the command line sets them.
struct ConfigurationSettings: Sendable, Equatable {
    /// The path of the file with key bindings; nil if no file is read.
    var inputPath: String?
    /// Whether the user has named the file with key bindings, so that it must exist.
    var isInputPathGiven = false
    /// Whether the built-in key bindings that the file does not replace are kept.
    var keepsDefaultBindings = true
}
