/// An event of the render thread, for ``AudioRenderer/takeEvents()``.
package enum AudioEvent: Sendable, Equatable {
    /// The last frame of the stream has been heard.
    case drained
    /// The device ran out of samples; `count` is the number of underruns so far.
    case underrun(count: Int)
    /// The device works again after a failure.
    case recovered
    /// The device is lost. The renderer stays silent until ``AudioRenderer/close()``.
    case failed(AudioOutputError)
}
