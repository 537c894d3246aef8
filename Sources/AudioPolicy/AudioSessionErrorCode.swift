/// Why a call to an audio session failed (AVAudioSession.ErrorCode): the numbers are Apple's four-character codes.
public enum AudioSessionErrorCode: Int32, Error, Sendable, CaseIterable {
    /// The compositor cannot be reached, or the session is of a time before it was.
    case mediaServicesFailed = 1_836_282_486
    /// Deactivated while sound was running: it was stopped.
    case isBusy = 560_030_580
    /// The operation is not possible with the session's category.
    case incompatibleCategory = 560_161_140
    /// What does not mix may not begin in the background, unless it is what the user listens to.
    case cannotInterruptOthers = 560_557_684
    /// The program lacks a right. Not used on Linux.
    case missingEntitlement = 1_701_737_535
    /// A voice assistant is recording. Not used on Linux.
    case siriIsRecording = 1_936_290_409
    /// This category, or this program, may not begin to play in the background.
    case cannotStartPlaying = 561_015_905
    /// Recording cannot start.
    case cannotStartRecording = 561_145_187
    /// Category, mode and options do not go together.
    case badParam = -50
    /// Someone with more right, a call, has what is asked for.
    case insufficientPriority = 561_017_449
    /// There is no device.
    case resourceNotAvailable = 561_145_203
    /// An error without a more specific code.
    case unspecified = 2_003_329_396
    /// The session does not exist any more.
    case expiredSession = 561_210_739
    /// The operation needs an active session.
    case sessionNotActive = 1_768_841_571
}
