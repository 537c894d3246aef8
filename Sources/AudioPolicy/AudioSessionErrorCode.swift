/// The error codes of an audio session (AVAudioSession.ErrorCode, with Apple's four-character codes as numbers).
public enum AudioSessionErrorCode: Int32, Error, Sendable, CaseIterable {
    /// The compositor, the process that manages all audio sessions, cannot be reached or was restarted.
    case mediaServicesFailed = 1_836_282_486
    /// The session was deactivated while it rendered audio; the audio was stopped.
    case isBusy = 560_030_580
    /// The operation is not possible with the session's category.
    case incompatibleCategory = 560_161_140
    /// Audio that does not mix cannot start in the background unless its program is the now playing program.
    case cannotInterruptOthers = 560_557_684
    /// The program lacks an entitlement. Not used on Linux.
    case missingEntitlement = 1_701_737_535
    /// A voice assistant is recording. Not used on Linux.
    case siriIsRecording = 1_936_290_409
    /// The category or the program does not permit playback to start in the background.
    case cannotStartPlaying = 561_015_905
    /// Recording cannot start.
    case cannotStartRecording = 561_145_187
    /// The category does not permit the mode or the options.
    case badParam = -50
    /// A phone call or another audio session with a higher priority prevents the activation.
    case insufficientPriority = 561_017_449
    /// There is no audio device.
    case resourceNotAvailable = 561_145_203
    /// An error without a more specific code.
    case unspecified = 2_003_329_396
    /// The session does not exist any more.
    case expiredSession = 561_210_739
    /// The operation needs an active session.
    case sessionNotActive = 1_768_841_571
}
