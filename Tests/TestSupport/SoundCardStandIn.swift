import Foundation
import Glibc
import SystemCalls

/// A simulated ALSA control device with a headphone jack and a volume (`Tests/StandIns/ctl.c`).
///
/// If `forOtherPrograms` is true, the device is the default card of each program that is started with
/// ``environment``. If `forOtherPrograms` is false, this process can open the device under the name
/// `standincard` until ``restore()``. ALSA's default PCM does not change.
package final class SoundCardStandIn {
    /// The directory that contains the ALSA configuration and the command pipe of the simulated card.
    private let directory: RuntimeDirectory
    /// The named pipe from which the simulated card reads its commands.
    private let commandPipe: FileDescriptor
    /// The value of `ALSA_CONFIG_PATH` before ``init(forOtherPrograms:extending:)``; nil if the variable was not set.
    private let previousConfigurationPath: String?
    /// The environment variable that selects the ALSA configuration with the simulated card.
    package let environment: [String: String?]

    /// Creates a simulated sound card.
    ///
    /// - Parameters:
    ///   - forOtherPrograms: whether other programs use the simulated card instead of this process.
    ///   - audioDevice: a simulated PCM device whose ALSA configuration is extended with the simulated card; nil
    ///     extends the ALSA configuration of this process.
    package init(forOtherPrograms: Bool = false, extending audioDevice: AudioDeviceStandIn? = nil) throws {
        directory = try RuntimeDirectory()
        let path = directory.path
        try systemCall("mkfifo") { mkfifo(path + "/pipe", 0o600) }
        commandPipe = try FileDescriptor(opening: path + "/pipe", flags: O_RDWR | O_NONBLOCK)
        previousConfigurationPath = ProcessInfo.processInfo.environment["ALSA_CONFIG_PATH"]
        let baseConfigurationPath = audioDevice?.environment["ALSA_CONFIG_PATH"] ?? previousConfigurationPath
        try """
        ctl.!default { type standin pipe "\(path)/pipe" }
        """.write(toFile: path + "/default.conf", atomically: false, encoding: .utf8)
        // ALSA runs `@hooks.2` after the hooks of the included configuration, so `default.conf` replaces the default
        // card.
        let hook = forOtherPrograms ? "@hooks.2 { func load files [ \"\(path)/default.conf\" ] errors true }" : ""
        try """
        <\(baseConfigurationPath ?? "/usr/share/alsa/alsa.conf")>
        ctl_type.standin { lib "\(AudioDeviceStandIn.compiledLibraryPath("ctl"))" }
        ctl.standincard { type standin pipe "\(path)/pipe" }
        \(hook)
        """.write(toFile: path + "/alsa.conf", atomically: false, encoding: .utf8)
        environment = ["ALSA_CONFIG_PATH": path + "/alsa.conf"]
        // ALSA reads ALSA_CONFIG_PATH each time it opens a device.
        if !forOtherPrograms { setenv("ALSA_CONFIG_PATH", path + "/alsa.conf", 1) }
    }

    /// Sets `ALSA_CONFIG_PATH` of this process to its value before ``init(forOtherPrograms:extending:)``.
    package func restore() {
        if let previousConfigurationPath {
            setenv("ALSA_CONFIG_PATH", previousConfigurationPath, 1)
        } else {
            unsetenv("ALSA_CONFIG_PATH")
        }
    }

    /// Sends commands to the simulated card: one character for each command, such as `i`, which plugs the headphones
    /// in. `Tests/StandIns/ctl.c` lists the commands.
    package func send(_ commands: String) throws {
        try systemCall("write") { write(commandPipe.raw, commands, commands.utf8.count) }
    }
}
