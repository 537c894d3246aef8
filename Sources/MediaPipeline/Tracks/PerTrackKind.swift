/// One value for each kind of track.
package struct PerTrackKind<Value: Sendable & Equatable>: Sendable, Equatable {
    package var video: Value
    package var audio: Value
    package var subtitle: Value

    package init(video: Value, audio: Value, subtitle: Value) {
        self.video = video
        self.audio = audio
        self.subtitle = subtitle
    }

    package subscript(kind: MediaTrack.Kind) -> Value {
        get {
            switch kind {
            case .video: video
            case .audio: audio
            case .subtitle: subtitle
            }
        }
        set {
            switch kind {
            case .video: video = newValue
            case .audio: audio = newValue
            case .subtitle: subtitle = newValue
            }
        }
    }
}
