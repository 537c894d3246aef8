/// The name under which this process presents itself to desktop services.
enum ProcessName {
    /// The file name in the path with which the program was started.
    static var current: String {
        CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "swiftplay"
    }
}
