/// What the render thread has to tell its owner. Collected with ``AudioRenderer/takeEvents()``.
package enum AudioEvent: Sendable, Equatable {
    /// The last frame before the end-of-stream mark has been heard.
    case drained
    /// The sound was interrupted because samples came too late; how often so far.
    case underrun(count: Int)
    /// The device works again after an interruption.
    case recovered
    /// The device is lost. The renderer stays silent until it is closed.
    case failed(AudioOutputError)
}
