/// The commands that load files and change the playlist.
extension PlayerCommand {
    static let playlist: [PlayerCommand] = [
        PlayerCommand("loadfile", "url:String flags:Choice? options:Key/value_list?") {
            target, arguments throws(IPCError) in
            let file = try arguments.location(0), mode = try arguments.choice(1, of: loadModes)
            target.runOnMainQueue { $0.loadFile(file, mode) }
            return nil
        },
        PlayerCommand("loadlist", "url:String flags:Choice?") { target, arguments throws(IPCError) in
            let mode = try arguments.choice(1, of: loadModes)
            let entry = Playlist.Entry(location: try arguments.location(0), isPlaylist: true)
            guard entry.canBeRead else { throw .commandFailed }
            target.runOnMainQueue { $0.load(entry, mode) }
            return nil
        },
        PlayerCommand("playlist-next", "flags:Choice?") { target, arguments throws(IPCError) in
            let isForced = try arguments.choice(0, of: ["weak", "force"]) == "force"
            let hasNext = target.state.withLock {
                $0.playlistPosition + 1 < $0.entries.count || $0.playlistLoop != .times(0)
            }
            guard hasNext || isForced else { throw .commandFailed }
            target.runOnMainQueue { app in if app.playlist.nextPosition != nil || isForced { app.playNextFile() } }
            return nil
        },
        PlayerCommand("playlist-prev", "flags:Choice?") { target, arguments throws(IPCError) in
            _ = try arguments.choice(0, of: ["weak", "force"])
            guard target.state.withLock({ $0.playlistPosition > 0 }) else { throw .commandFailed }
            target.runOnMainQueue { app in if app.playlist.goBack() { app.playCurrentFile() } }
            return nil
        },
        PlayerCommand("playlist-play-index", "index:Choice") { target, arguments throws(IPCError) in
            switch arguments.values[0] {
            case "none": target.runOnMainQueue { $0.stop() }
            case "current": target.runOnMainQueue { $0.playCurrentFile() }
            default:
                let index = try arguments.integer(0)
                guard target.state.withLock({ $0.entries.indices.contains(index) }) else { throw .commandFailed }
                target.runOnMainQueue { app in if app.playlist.go(to: index) { app.playCurrentFile() } }
            }
            return nil
        },
        PlayerCommand("playlist-shuffle") { target, _ in
            target.runOnMainQueue { $0.setIsShuffled(true) }
            return nil
        },
        PlayerCommand("playlist-unshuffle") { target, _ in
            target.runOnMainQueue { $0.setIsShuffled(false) }
            return nil
        },
        PlayerCommand("playlist-clear") { target, _ in
            target.runOnMainQueue { app in
                app.playlist.clear()
                app.queueNextItem()
            }
            return nil
        },
        PlayerCommand("playlist-move", "index1:Integer index2:Integer") { target, arguments throws(IPCError) in
            let source = try arguments.integer(0), destination = try arguments.integer(1)
            guard target.state.withLock({ $0.entries.indices.contains(source) }), destination >= 0 else {
                throw .commandFailed
            }
            target.runOnMainQueue { app in
                app.playlist.move(from: source, to: destination)
                app.queueNextItem()
            }
            return nil
        },
        PlayerCommand("playlist-remove", "index:Choice?") { target, arguments throws(IPCError) in
            let state = target.state.withLock { $0 }
            let isCurrent = arguments.values.first == "current" || arguments.values.isEmpty
            let index = isCurrent ? state.playlistPosition : try arguments.integer(0)
            guard state.entries.indices.contains(index) else { throw .commandFailed }
            target.runOnMainQueue { $0.removeFromPlaylist(index) }
            return nil
        },
    ]

    /// The modes of `loadfile` and `loadlist`.
    private static let loadModes = ["replace", "append", "append-play"]
}

extension PlayerApp {
    /// Removes an entry of the playlist. If it is the current entry, plays the next one.
    func removeFromPlaylist(_ index: Int) {
        let wasCurrent = index == playlist.position
        guard playlist.remove(at: index) else { return }
        guard wasCurrent else { return queueNextItem() }
        ipc?.broadcast(IPCEvent("end-file", ["reason": .string("stop")]))
        loopsLeft = settings.fileLoop
        playCurrentFile()
    }
}
