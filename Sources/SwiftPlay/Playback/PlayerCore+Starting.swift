import SystemCalls

extension PlayerCore {
    /// How playing begins after a seek.
    struct Start: Sendable {
        var rate: Float
        /// Host time at which that moment comes; nil: as soon as it can.
        var host: Int64?
    }

    struct Preroll: Sendable {
        var rate: Float
        var answer: SeekAnswer
    }

    /// A core whose thread runs.
    ///
    /// - Parameter prepare: sets what holds from the start.
    static func started(
        _ configuration: Player.Configuration, prepare: (inout Snapshot) -> Void = { _ in }
    ) throws(PlaybackError) -> PlayerCore {
        do throws(SystemCallError) {
            let core = try PlayerCore(configuration: configuration)
            core.snapshot.withLock { prepare(&$0) }
            try core.start()
            return core
        } catch { throw PlaybackError(.resources, "a player cannot be made: \(error.reason)", underlying: error) }
    }
}
