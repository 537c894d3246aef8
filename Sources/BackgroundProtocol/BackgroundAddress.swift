import Glibc
import SystemCalls
import WireFormat

/// The paths of the service for background transfers. Each user has one service.
package enum BackgroundAddress {
    /// Returns the path of the socket at which the service listens.
    ///
    /// - Throws: `SystemCallError` if the directory of the socket is not one of this user alone.
    package static func socketPath() throws(SystemCallError) -> String {
        try UserRuntimeDirectory.path() + "/background.sock"
    }

    /// Returns the path of the lock file of the listening service. Throws the errors of ``socketPath()``.
    package static func lockPath() throws(SystemCallError) -> String {
        try UserRuntimeDirectory.path() + "/background.lock"
    }

    /// Returns the path of the lock file of the running engine. Throws the errors of ``socketPath()``.
    package static func engineLockPath() throws(SystemCallError) -> String {
        try UserRuntimeDirectory.path() + "/transfer.lock"
    }

    /// The directory of the durable record: `$XDG_STATE_HOME/swiftplay/background`.
    package static var stateDirectory: String { base("XDG_STATE_HOME", "/.local/state") + "/swiftplay/background" }

    /// The directory of the received files that no program has taken yet: `$XDG_DATA_HOME/swiftplay/transfers`.
    package static var stagingDirectory: String { base("XDG_DATA_HOME", "/.local/share") + "/swiftplay/transfers" }

    /// The directory of the programs that the desktop starts after a login: `$XDG_CONFIG_HOME/autostart`.
    package static var autostartDirectory: String { base("XDG_CONFIG_HOME", "/.config") + "/autostart" }

    /// The directory of the services that the session bus starts for this user: `$XDG_DATA_HOME/dbus-1/services`.
    package static var busServiceDirectory: String { base("XDG_DATA_HOME", "/.local/share") + "/dbus-1/services" }

    /// The directory of packages for which the program has chosen no directory: `$XDG_DATA_HOME/swiftplay/packages`.
    package static var packageDirectory: String { base("XDG_DATA_HOME", "/.local/share") + "/swiftplay/packages" }

    /// Returns the absolute path in a variable of the XDG base directory specification, or its default below the home
    /// directory.
    private static func base(_ variable: String, _ standard: String) -> String {
        // The specification ignores relative paths.
        if let value = getenv(variable).map({ String(cString: $0) }), value.hasPrefix("/") { return value }
        if let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") { return home + standard }
        return "/var/tmp/swiftplay-\(getuid())" + standard
    }
}
