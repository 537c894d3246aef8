import Glibc
import SystemCalls

/// The command line arguments of the program, together with those that the configuration files add.
///
/// Options of `swiftplay.conf` stand before those of the command line, so that the latter take precedence. Profiles and
/// included files stand in the place of the option that names them.
struct StartupArguments {
    /// The reason why the command line is invalid.
    struct Invalid: Error, Equatable { var message: String }

    /// An option of a configuration file, as an argument of the command line.
    private struct FileArgument {
        var argument: String
        /// The file and line that contain the option, such as `swiftplay.conf:3`.
        var origin: String
    }

    /// The arguments for the argument parser.
    private(set) var arguments: [String] = []
    /// Messages about invalid lines and about options without effect, in words for the user.
    private(set) var warnings: [String] = []
    private let files: ConfigurationFiles
    /// Returns the reason why arguments are invalid; nil if they are valid.
    private let check: ([String]) -> String?
    /// The profiles of all configuration files read so far, by name. `path` is the file that defines the profile.
    private var profiles: [String: (path: String, settings: [ConfigurationFile.Setting])] = [:]
    /// The largest depth of profiles and files that include each other.
    private static let depthLimit = 8

    /// Reads the configuration files and combines them with the command line.
    ///
    /// - Parameters:
    ///   - commandLine: The arguments of the command line, without the program's name.
    ///   - files: Reads the configuration files.
    ///   - check: Returns the reason why arguments of a configuration file are invalid; nil if they are valid.
    /// - Throws: ``Invalid`` if an option of the command line names a profile or a file that does not exist.
    init(
        commandLine: [String], files: ConfigurationFiles, check: @escaping ([String]) -> String?
    ) throws(Invalid) {
        self.files = files
        self.check = check
        if let path = files.path(of: "swiftplay.conf") {
            var fileArguments: [FileArgument] = []
            do throws(SystemCallError) {
                append(load(try files.read(path), path), of: path, to: &fileArguments, depth: 0)
            } catch {
                if error.number != ENOENT { warnings.append("cannot read \(path): \(error.reason)") }
            }
            arguments = valid(fileArguments)
        }
        let options = commandLine.prefix { $0 != "--" }
        for argument in options { try appendCommandLine(argument) }
        arguments = MPVArguments.normalised(arguments + commandLine[options.endIndex...])
    }

    /// Parses a file, records its profiles, and returns the settings that always apply.
    private mutating func load(_ text: String, _ path: String) -> [ConfigurationFile.Setting] {
        let file = ConfigurationFile(parsing: text)
        for problem in file.problems { warn("\(path):\(problem.line)", problem.reason) }
        for (name, settings) in file.profiles { profiles[name] = (path, settings) }
        return file.settings
    }

    private mutating func warn(_ origin: String, _ reason: String) { warnings.append("\(origin): \(reason)") }

    /// Appends the arguments for the settings of a file.
    private mutating func append(
        _ settings: [ConfigurationFile.Setting], of path: String, to result: inout [FileArgument], depth: Int
    ) {
        for setting in settings {
            let origin = "\(path):\(setting.line)"
            switch setting.name {
            case "profile-desc": break
            case "profile-cond", "profile-restore": warn(origin, "automatic profiles are not supported")
            case "config", "no-config", "config-dir":
                warn(origin, "\(setting.name) has an effect only on the command line")
            case "profile", "include":
                guard let value = setting.value, !value.isEmpty else {
                    warn(origin, "\(setting.name) needs a value")
                    continue
                }
                if let failure = appendNamed(setting.name, value, origin, to: &result, depth: depth) {
                    warn(origin, failure)
                }
            case let name where IgnoredOptions.contains(name):
                warn(origin, "\(name) has no effect in this player")
            default: result.append(FileArgument(argument: Self.argument(setting), origin: origin))
            }
        }
    }

    /// Appends the arguments of profiles, or of a file.
    ///
    /// - Parameters:
    ///   - option: `profile` or `include`.
    ///   - value: The names of the profiles, separated by commas, or the path of the file.
    /// - Returns: A message for the user if a profile or the file does not exist.
    private mutating func appendNamed(
        _ option: String, _ value: String, _ origin: String, to result: inout [FileArgument], depth: Int
    ) -> String? {
        guard depth < Self.depthLimit else { return "profiles or files include each other" }
        guard option == "profile" else {
            let path = files.expanded(value)
            do throws(SystemCallError) {
                append(load(try files.read(path), path), of: path, to: &result, depth: depth + 1)
                return nil
            } catch { return "cannot read \(path): \(error.reason)" }
        }
        for name in value.split(separator: ",").map(String.init) {
            if let profile = profiles[name] {
                append(profile.settings, of: profile.path, to: &result, depth: depth + 1)
            } else if IgnoredOptions.containsProfile(name) {
                warn(origin, "mpv's profile \(name) has no effect in this player")
            } else {
                return "there is no profile \(name)"
            }
        }
        return nil
    }

    /// Returns the argument for a setting.
    private static func argument(_ setting: ConfigurationFile.Setting) -> String {
        setting.value.map { "--\(setting.name)=\($0)" } ?? "--\(setting.name)"
    }

    /// Returns the valid arguments, and warns about the others.
    private mutating func valid(_ candidates: [FileArgument]) -> [String] {
        var acceptedArguments: [String] = [], usable: [FileArgument] = []
        for candidate in candidates {
            guard let supportedArgument = replaceOutput(candidate.argument, candidate.origin) else { continue }
            usable.append(FileArgument(argument: supportedArgument, origin: candidate.origin))
        }
        // The parser takes several milliseconds of the program's start.
        guard !usable.isEmpty else { return [] }
        // Usually all options are valid, which one call of the parser shows.
        let usableArguments = usable.map(\.argument)
        if check(MPVArguments.normalised(usableArguments)) == nil { return usableArguments }
        for candidate in usable {
            if let reason = check(MPVArguments.normalised(acceptedArguments + [candidate.argument])) {
                warn(candidate.origin, reason)
            } else {
                acceptedArguments.append(candidate.argument)
            }
        }
        return acceptedArguments
    }

    /// Replaces a list of outputs by the one that this player has.
    ///
    /// - Returns: The argument; nil if the program chooses the output itself.
    private mutating func replaceOutput(_ argument: String, _ origin: String) -> String? {
        guard let (name, value) = MPVArguments.parts(argument), let value, ["vo", "ao"].contains(name) else {
            return argument
        }
        guard let output = IgnoredOptions.output(name, value) else {
            warn(origin, "\(name)=\(value) has no effect in this player, which has an output of its own")
            return nil
        }
        return "--\(name)=\(output)"
    }

    /// Appends an argument of the command line, or the arguments that it stands for.
    private mutating func appendCommandLine(_ argument: String) throws(Invalid) {
        let origin = "command line"
        guard let (name, value) = MPVArguments.parts(argument) else { return arguments.append(argument) }
        if let value, ["profile", "include"].contains(name) {
            var result: [FileArgument] = []
            if let failure = appendNamed(name, value, origin, to: &result, depth: 0) {
                throw Invalid(message: "--\(name)=\(value): \(failure).")
            }
            arguments += valid(result)
        } else if IgnoredOptions.contains(name) {
            warn(origin, "--\(name) has no effect in this player")
        } else if let supportedArgument = replaceOutput(argument, origin) {
            arguments.append(supportedArgument)
        }
    }
}
