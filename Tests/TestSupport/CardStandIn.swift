import Foundation
import Glibc
import SystemCalls

/// The control of a card that is none (`Tests/StandIns/ctl.c`): for this process itself ALSA's control `standincard`
/// until ``restore()``, or for programs that are given its ``environment``, whose default card it is. What plays as
/// ALSA's default stays that.
package final class CardStandIn {
    private let directory: RuntimeDirectory
    private let pipe: FileDescriptor
    private let before: String?
    package let environment: [String: String?]

    /// - Parameter sound: what others play on beside it; nil: what this process does.
    package init(forOthers: Bool = false, beside sound: SoundStandIn? = nil) throws {
        directory = try RuntimeDirectory()
        let path = directory.path
        try systemCall("mkfifo") { mkfifo(path + "/pipe", 0o600) }
        pipe = try FileDescriptor(opening: path + "/pipe", flags: O_RDWR | O_NONBLOCK)
        before = ProcessInfo.processInfo.environment["ALSA_CONFIG_PATH"]
        let base = sound?.environment["ALSA_CONFIG_PATH"] ?? before
        try """
        ctl.!default { type standin pipe "\(path)/pipe" }
        """.write(toFile: path + "/default.conf", atomically: false, encoding: .utf8)
        // After what the configuration below loads by itself.
        let hook = forOthers ? "@hooks.2 { func load files [ \"\(path)/default.conf\" ] errors true }" : ""
        try """
        <\(base ?? "/usr/share/alsa/alsa.conf")>
        ctl_type.standin { lib "\(SoundStandIn.library("ctl"))" }
        ctl.standincard { type standin pipe "\(path)/pipe" }
        \(hook)
        """.write(toFile: path + "/alsa.conf", atomically: false, encoding: .utf8)
        environment = ["ALSA_CONFIG_PATH": path + "/alsa.conf"]
        // ALSA looks at it each time something is opened.
        if !forOthers { setenv("ALSA_CONFIG_PATH", path + "/alsa.conf", 1) }
    }

    package func restore() {
        if let before { setenv("ALSA_CONFIG_PATH", before, 1) } else { unsetenv("ALSA_CONFIG_PATH") }
    }

    /// Lets something happen to it.
    package func say(_ words: String) throws {
        try systemCall("write") { write(pipe.raw, words, words.utf8.count) }
    }
}
