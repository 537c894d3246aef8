import MediaPipeline

/// Seeks and prerolls; each completion handler is called exactly once.
extension PlayerCore {
    /// Requests a seek in `item`, the current item. The handler of a pending seek receives `false` before this method
    /// returns.
    func seek(
        _ item: PlayerItem, to time: Int64, _ precision: SeekRequest.Precision, start: ScheduledStart? = nil,
        _ completion: @escaping @Sendable (Bool) -> Void
    ) {
        let seekCompletion = SeekCompletion(completion)
        newestSeek.withLock { pending -> SeekCompletion? in
            defer { pending = seekCompletion }
            return pending
        }?.complete(false)
        let isAccepted = snapshot.withLock { snapshot in
            guard !snapshot.isClosed else { return false }
            snapshot.seekTarget = time
            snapshot.queuedSeekCount += 1
            return true
        }
        guard isAccepted else { return seekCompletion.complete(false) }
        var command = SeekCommand(time: time, precision: precision, completion: seekCompletion.complete)
        (command.item, command.start) = (item, start)
        command.isCancelled = { seekCompletion.isCompleted }
        post(.seek(command))
    }

    /// Cancels the pending seek: its handler receives `false` before this method returns.
    func cancelPendingSeeks() {
        newestSeek.withLock { $0.take() }?.complete(false)
        post(.polledStateChanged)
    }

    /// Requests a preroll. The handler of a pending preroll receives `false` before this method returns.
    func preroll(atRate rate: Float, _ completion: @escaping @Sendable (Bool) -> Void) {
        let prerollCompletion = SeekCompletion(completion)
        newestPreroll.withLock { pending -> SeekCompletion? in
            defer { pending = prerollCompletion }
            return pending
        }?.complete(false)
        post(.preroll(PrerollCommand(rate: rate, completion: prerollCompletion)))
    }

    /// Cancels the pending preroll: its handler receives `false` before this method returns.
    func cancelPendingPrerolls() {
        newestPreroll.withLock { $0.take() }?.complete(false)
        post(.polledStateChanged)
    }
}
