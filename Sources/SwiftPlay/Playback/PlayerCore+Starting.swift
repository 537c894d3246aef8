import SystemCalls

extension PlayerCore {
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
