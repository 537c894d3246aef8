import AudioPolicy

extension AudioService {
    /// The connection numbers of the programs with a running session whose category records sound.
    var recordingClients: Set<UInt64> {
        Set(
            arbiter.ids.compactMap { id in
                guard let session = arbiter.session(id), session.isRunning, session.activation == .active,
                    session.configuration.category.hasInput
                else { return nil }
                return id.client
            })
    }

    /// The connection numbers of the programs whose sessions render audio that is not silenced.
    var audibleClients: Set<UInt64> {
        var clients: Set<UInt64> = []
        for id in arbiter.ids {
            guard let session = arbiter.session(id), session.isRunning, session.activation != .interrupted,
                gainCommands[id]?.isClosed != true
            else { continue }
            clients.insert(id.client)
        }
        return clients
    }
}
