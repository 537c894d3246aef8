import Glibc
import Testing

@testable import AudioOutput

@Suite struct AudioOutputErrorTests {
    /// Returns the error that users see after an operation on the device (`operation`) failed with an ALSA error code.
    private func error(_ operation: PCMFailure.Operation, _ code: Int32) -> AudioOutputError {
        AudioOutputError(device: "hw:3", failure: PCMFailure(operation, code))
    }

    @Test(
        "The message names the device and what failed",
        arguments: [
            (PCMFailure.Operation.open, "cannot be opened"), (.configure, "cannot be configured"),
            (.prepare, "cannot be started"), (.start, "cannot be started"), (.resume, "cannot be started"),
            (.write, "stopped working"), (.timing, "stopped working"), (.wait, "stopped working"),
            (.pause, "cannot be stopped"), (.drop, "cannot be stopped"),
        ])
    func messageNamesTheDeviceAndWhatFailed(_ operation: PCMFailure.Operation, _ text: String) {
        #expect("\(error(operation, EIO))".hasPrefix("ALSA device hw:3 \(text): "))
    }

    @Test("The message ends with the reason and the advice")
    func messageEndsWithReasonAndAdvice() {
        let error = error(.open, EBUSY)
        #expect("\(error)" == "ALSA device hw:3 cannot be opened: \(error.reason). \(error.remedy)")
        #expect(error.reason == "Device or resource busy")
        #expect(error.remedy.hasPrefix("Another program holds the device"))
    }

    @Test("A deviating clock has a reason of its own")
    func deviatingClockHasItsOwnReason() {
        #expect(error(.timing, ETIME).reason == "its clock deviates by 25 % or more")
        #expect(error(.timing, ETIME).remedy == "Open the device again, or choose another device.")
    }

    @Test("The advice for a missing device names the list of devices", arguments: [ENOENT, ENODEV, ENXIO])
    func adviceForAMissingDeviceNamesTheDeviceList(_ code: Int32) {
        #expect(error(.open, code).remedy.contains("aplay -L"))
    }

    @Test("The advice for a refused device names the group `audio`", arguments: [EACCES, EPERM])
    func adviceForARefusedDeviceNamesTheAudioGroup(_ code: Int32) {
        #expect(error(.open, code).remedy.contains("group `audio`"))
    }

    @Test(
        "A lost connection leads to the sound server",
        arguments: [ECONNREFUSED, EIO, ETIMEDOUT, EBADF, ENOTCONN])
    func adviceForALostConnectionNamesTheSoundServer(_ code: Int32) {
        #expect(error(.write, code).remedy.contains("pactl info"))
    }

    @Test("The advice about sample formats is given only while the device is configured")
    func sampleFormatAdviceIsGivenOnlyDuringConfiguration() {
        #expect(error(.configure, EINVAL).remedy.contains("no usable sample format"))
        #expect(error(.open, EINVAL).remedy == "Choose another device.")
        #expect(error(.configure, EBUSY).remedy.hasPrefix("Another program"), "the cause is known")
    }
}
