/// The name under which this process presents itself to desktop services.
enum ProcessName {
    /// The last part of the program's path.
    static var current: String {
        CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "swiftplay"
    }
}
