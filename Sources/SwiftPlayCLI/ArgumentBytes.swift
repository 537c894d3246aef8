import MediaPipeline
import SystemCalls

/// Reads the command line arguments of the process. Their bytes may be invalid UTF-8, because they may name files.
enum ArgumentBytes {
    /// The options whose value is a file that the player opens.
    private static let fileOptions: Set<String> = ["sub-file", "audio-file", "playlist"]

    /// The command line arguments of the process, without the program's name, as ``text(of:isAfterOptions:)`` converts
    /// them.
    static var arguments: [String] {
        let arguments = (0..<Int(CommandLine.argc)).dropFirst().compactMap { index in
            CommandLine.unsafeArgv[index].map { FilePath(cString: $0).bytes }
        }
        let optionEnd = arguments.firstIndex(of: Array("--".utf8)) ?? arguments.endIndex
        return arguments.enumerated().map { text(of: $1, isAfterOptions: $0 > optionEnd) }
    }

    /// Returns an argument as text. An argument that names a file becomes the file's location (see `MediaLocation`).
    /// So does the value of an option that names a file, unless it is UTF-8. In other arguments, U+FFFD replaces bytes
    /// that are not UTF-8.
    ///
    /// - Parameter isAfterOptions: Whether the argument follows `--`, after which there are no options.
    static func text(of argument: [UInt8], isAfterOptions: Bool) -> String {
        guard !isAfterOptions, argument.first == UInt8(ascii: "-") else {
            return MediaLocation.location(written: argument)
        }
        let nameAndValue = argument.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let option = String(decoding: nameAndValue[0], as: UTF8.self)
        guard nameAndValue.count == 2, option.hasPrefix("--"), fileOptions.contains(String(option.dropFirst(2))) else {
            return String(decoding: argument, as: UTF8.self)
        }
        return "\(option)=\(MediaLocation.location(written: Array(nameAndValue[1])))"
    }
}
