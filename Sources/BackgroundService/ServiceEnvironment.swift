import Glibc

/// The environment variables of the service and of the programs that it starts.
package enum ServiceEnvironment {
    /// The variables that are kept. The environment comes from the program that has started the service, and must not
    /// leak into other programs.
    static let names: Set<String> = [
        "HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS",
        "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE",
        "SSL_CERT_DIR", "LD_LIBRARY_PATH", "LD_PRELOAD",
    ]
    /// The beginnings of the names of further variables that are kept.
    static let prefixes = ["LC_", "XDG_", "SWIFTPLAY_", "FAKETIME"]

    /// Returns whether a variable is kept.
    static func keeps(_ name: String) -> Bool { names.contains(name) || prefixes.contains { name.hasPrefix($0) } }

    /// Returns the value of a variable; nil if it is missing or empty.
    static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Removes all other variables from this process. Call it before other threads start.
    package static func reduce() {
        var removedNames: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let name = String(String(cString: text).prefix { $0 != "=" })
            if !keeps(name) { removedNames.append(name) }
            entry += 1
        }
        for name in removedNames { unsetenv(name) }
    }
}
