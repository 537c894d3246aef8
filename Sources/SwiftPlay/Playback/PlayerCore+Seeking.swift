import MediaPipeline

/// Seeks and prerolls; each completion handler is called exactly once.
extension PlayerCore {
    /// Requests a seek in `item`, the current item. The handler of a pending seek receives `false` before this method
    /// returns.
    func seek(
        _ item: PlayerItem, to time: Int64, _ precision: SeekRequest.Precision, start: ScheduledStart? = nil,
        _ completion: @escaping @Sendable (Bool) -> Void
    ) {
        let answer = SeekAnswer(completion)
        pendingSeek.withLock { pending -> SeekAnswer? in
            defer { pending = answer }
            return pending
        }?.give(false)
        let isTaken = snapshot.withLock { snapshot in
            guard !snapshot.isClosed else { return false }
            snapshot.seekTarget = time
            snapshot.seeksAhead += 1
            return true
        }
        guard isTaken else { return answer.give(false) }
        var command = SeekCommand(time: time, precision: precision, completion: answer.give)
        (command.item, command.start) = (item, start)
        command.isCancelled = { answer.isGiven }
        post(.seek(command))
    }

    func cancelPendingSeeks() {
        pendingSeek.withLock { $0.take() }?.give(false)
        post(.look)
    }

    func preroll(atRate rate: Float, _ completion: @escaping @Sendable (Bool) -> Void) {
        let answer = SeekAnswer(completion)
        pendingPreroll.withLock { pending -> SeekAnswer? in
            defer { pending = answer }
            return pending
        }?.give(false)
        post(.preroll(PrerollCommand(rate: rate, answer: answer)))
    }

    func cancelPendingPrerolls() {
        pendingPreroll.withLock { $0.take() }?.give(false)
        post(.look)
    }
}
