import CALSA
import Glibc

/// An error of audio output: the failed operation, ALSA's reason, and the user's remedy.
package struct AudioOutputError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The requested name of the device.
    package let device: String
    /// The failed operation of the device and its error number.
    package let failure: PCMFailure

    package init(device: String, failure: PCMFailure) {
        self.device = device
        self.failure = failure
    }

    /// ALSA's message for the error number.
    package var reason: String {
        if failure.isClockDrift { return "its clock deviates by 25 % or more" }
        guard let text = snd_strerror(-failure.errorNumber) else { return "error \(failure.errorNumber)" }
        return String(cString: text)
    }

    /// The remedy that the error message proposes to the user.
    package var remedy: String {
        switch (failure.operation, failure.errorNumber) {
        case (_, EBUSY): "Another program holds the device: close it, or choose a device that mixes, such as `default`."
        case (_, ENOENT), (_, ENODEV), (_, ENXIO): "Check the name with `aplay -L`, and that the device is plugged in."
        case (_, EACCES), (_, EPERM): "Join the group `audio`, or log in at this seat."
        case (_, ECONNREFUSED), (_, EIO), (_, ETIMEDOUT), (_, EBADF), (_, ENOTCONN):
            "Check that the sound server runs (`pactl info`), or choose another device."
        case (_, ETIME): "Open the device again, or choose another device."
        case (.configure, _):
            "The device supports no usable sample format: choose `default` or a `plughw:` device."
        default: "Choose another device."
        }
    }

    package var description: String {
        let action =
            switch failure.operation {
            case .open: "cannot be opened"
            case .configure: "cannot be configured"
            case .prepare, .start, .resume: "cannot be started"
            case .write, .timing, .wait: "stopped working"
            case .pause, .drop: "cannot be stopped"
            }
        return "ALSA device \(device) \(action): \(reason). \(remedy)"
    }
}
