import BackgroundProtocol
import LedgerStore
import PushPolicy
import SystemCalls
import TransferPolicy

extension WakeService {
    /// Stores a received notification, and delivers it if the rate of the program permits it.
    func receive(_ push: PushMessage) throws(ClientEvent.Refusal) -> PushMessage.Receipt {
        let program = try program(named: push.program)
        guard program.modes.contains(.remoteNotification) else {
            throw ClientEvent.Refusal(.invalid, "\(push.program) does not declare the mode remoteNotification")
        }
        let payload: PushPayload
        do throws(PushPayload.Refusal) { payload = try PushPayload(json: push.payload) } catch {
            throw ClientEvent.Refusal(.invalid, error.text)
        }
        guard payload.isContentAvailable else { return try show(push, payload, program) }
        var row = NotificationRow(
            client: program.id, identifier: push.identifier, payload: push.payload, received: clock.wall())
        (row.collapseKey, row.isUrgent) = (push.collapseKey, push.isUrgent)
        return try receive(row, payload, program)
    }

    /// Shows a notification that only has an alert, without waking its program.
    private func show(
        _ push: PushMessage, _ payload: PushPayload, _ program: WakeProgram
    ) throws(ClientEvent.Refusal) -> PushMessage.Receipt {
        guard let alert = payload.alert else {
            throw ClientEvent.Refusal(
                .invalid, "the payload needs aps.content-available with the value 1, or an alert with a text")
        }
        let decision = program.queue.receiveAlert(push.identifier, now: clock.time)
        saveIfPossible(program)
        switch decision {
        case .show: banners.show(alert, of: program.client.row.name)
        case .ignoreDuplicate: return .duplicate
        case .refuse(let delay): throw Self.refusal(of: program, retryAfter: delay)
        }
        return .delivered
    }

    /// Plans the banner of a notification that wakes its program.
    func addBanner(of row: NotificationRow, _ program: WakeProgram) {
        // Only the program can read an encrypted message; others must not reach the user.
        if row.isFromServer, program.acceptsOnlyEncryptedMessages { return }
        guard let alert = (try? PushPayload(json: row.payload))?.alert else { return }
        banners.add(alert, of: program.client.row.name, id: row.id)
    }

    private static func refusal(of program: WakeProgram, retryAfter delay: Duration) -> ClientEvent.Refusal {
        ClientEvent.Refusal(
            .limit,
            "\(program.client.row.name) receives too many notifications; try again in \(DurationText.text(delay))")
    }

    /// Stores a message of a server, whose bytes only the program understands, and delivers it as ``receive(_:)`` does.
    ///
    /// - Parameter identifier: The identifier that the server gave the message; one that is empty or too long is
    ///   replaced, so that the message counts as new.
    func receive(_ bytes: [UInt8], identifier: String, client: Int64) throws(ClientEvent.Refusal) {
        guard let program = programs[client], program.modes.contains(.remoteNotification) else {
            throw ClientEvent.Refusal(.unknown, "the program does not declare the mode remoteNotification any more")
        }
        let payload: PushPayload
        do throws(PushPayload.Refusal) { payload = try PushPayload(opaque: bytes) } catch {
            throw ClientEvent.Refusal(.invalid, error.text)
        }
        let isUsable = (1...PushMessage.keyBytes).contains(identifier.utf8.count)
        var row = NotificationRow(
            client: client, identifier: isUsable ? identifier : "\(UInt64.random(in: 0 ... .max))", payload: bytes,
            received: clock.wall())
        row.isFromServer = true
        _ = try receive(row, payload, program)
    }

    /// Stores a notification, and delivers it if the rate of the program permits it.
    private func receive(
        _ row: NotificationRow, _ payload: PushPayload, _ program: WakeProgram
    ) throws(ClientEvent.Refusal) -> PushMessage.Receipt {
        let message = PushQueue.Message(
            id: row.identifier, payload: payload, collapseKey: row.collapseKey, isUrgent: row.isUrgent,
            receivedTime: clock.time)
        var queue = program.queue
        switch queue.receive(message, now: clock.time) {
        case .deliver: return try store(row, message, program, queue)
        case .wait(let replaced): return try store(row, replacing: replaced, program, queue)
        case .ignoreDuplicate:
            program.queue = queue
            return .duplicate
        case .refuse(let delay):
            program.queue = queue
            throw Self.refusal(of: program, retryAfter: delay)
        }
    }

    /// Stores a notification that is delivered at once.
    private func store(
        _ row: NotificationRow, _ message: PushQueue.Message, _ program: WakeProgram, _ newQueue: PushQueue
    ) throws(ClientEvent.Refusal) -> PushMessage.Receipt {
        var row = row, queue = newQueue
        let canStart = if case .start = startDecision(for: program) { true } else { false }
        if canStart {
            (row.isDelivered, row.attempts) = (true, 1)
        } else if !queue.handleFailedDelivery(message, wasStarted: false) {
            // Without a waiting message, nothing replaces this one.
            return .waiting
        }
        try store(&row, removing: nil, program, queue)
        guard canStart else { return .waiting }
        start(makeWake(.notification(id: row.id), program))
        return .delivered
    }

    /// Stores a notification that waits.
    private func store(
        _ row: NotificationRow, replacing replaced: String?, _ program: WakeProgram, _ queue: PushQueue
    ) throws(ClientEvent.Refusal) -> PushMessage.Receipt {
        var row = row
        let replacedRow = replaced.flatMap { identifier in
            program.notifications.last { $0.identifier == identifier && !$0.isDelivered }
        }
        try store(&row, removing: replacedRow?.id, program, queue)
        return .waiting
    }

    /// Stores a notification with the state of the queue in one transaction.
    private func store(
        _ row: inout NotificationRow, removing replaced: Int64?, _ program: WakeProgram, _ queue: PushQueue
    ) throws(ClientEvent.Refusal) {
        let oldQueue = program.queue
        program.queue = queue
        do throws(DatabaseError) {
            let stored = row
            row.id = try ledger.transaction { () throws(DatabaseError) in
                try save(program)
                if let replaced { try ledger.removeNotification(replaced) }
                return try ledger.append(stored)
            }
        } catch {
            program.queue = oldQueue
            throw ClientEvent.Refusal(.storage, "the notification cannot be stored: \(error.message)")
        }
        program.notifications.removeAll { $0.id == replaced }
        program.notifications.append(row)
        if let replaced { banners.remove(id: replaced) }
        addBanner(of: row, program)
    }

    /// Delivers messages that the queue has released.
    ///
    /// - Parameter queue: The queue without these messages.
    func deliver(_ messages: [PushQueue.Message], to program: WakeProgram, queue: PushQueue) {
        var rows: [NotificationRow] = []
        for message in messages {
            guard var row = program.notifications.last(where: { $0.identifier == message.id && !$0.isDelivered })
            else { continue }
            row.attempts += 1
            row.isDelivered = true
            rows.append(row)
        }
        let oldQueue = program.queue
        program.queue = queue
        do throws(DatabaseError) {
            try ledger.transaction { () throws(DatabaseError) in
                try save(program)
                for row in rows { try ledger.saveDelivery(of: row) }
            }
        } catch {
            program.queue = oldQueue
            logger.error("cannot store the delivery to \(program.client.row.name): \(error)")
            return
        }
        for row in rows { program.update(row) }
        for row in rows { start(makeWake(.notification(id: row.id), program)) }
    }

    /// Handles the answer of a program to a notification, also a late one.
    func completeNotification(_ id: Int64, _ result: WakeResult, client: Client) throws(ClientEvent.Refusal) {
        guard let program = programs[client.row.id] else { return }
        if let wake = wakes.first(where: { $0.kind == .notification(id: id) && $0.program === program }) {
            finish(wake, .completed, result)
        } else {
            finishNotification(id, program, isCompleted: true)
        }
        guard !program.endedNotifications.contains(id) else {
            throw ClientEvent.Refusal(.storage, "the end of the notification cannot be stored, and is tried again")
        }
    }

    /// Removes a notification that was acknowledged, or lets it wait for another delivery.
    func finishNotification(_ id: Int64, _ program: WakeProgram, isCompleted: Bool, wasStarted: Bool = true) {
        guard let row = program.notifications.first(where: { $0.id == id }) else { return }
        banners.handleCompletion(id: id)
        if isCompleted {
            program.queue.remove(row.identifier)
            end(id, program)
        } else {
            putBack(row, program, wasStarted: wasStarted)
        }
    }

    /// Removes a notification that is not delivered again.
    func end(_ id: Int64, _ program: WakeProgram) {
        program.notifications.removeAll { $0.id == id }
        program.endedNotifications.insert(id)
        removeEndedNotifications(of: program)
    }

    /// Removes the ended notifications of a program from the ledger. Those that remain are tried again by the next
    /// call of ``saveIfPossible(_:)``.
    func removeEndedNotifications(of program: WakeProgram) {
        do throws(DatabaseError) {
            for id in program.endedNotifications {
                try ledger.removeNotification(id)
                program.endedNotifications.remove(id)
            }
        } catch {
            logger.error("cannot store the end of a notification for \(program.client.row.name): \(error)")
        }
    }

    /// Lets a delivered notification wait again, unless a newer one replaces it or it was delivered too often.
    func putBack(_ row: NotificationRow, _ program: WakeProgram, wasStarted: Bool) {
        var row = row
        let isTooOften = row.attempts >= Self.attemptLimit
        if isTooOften {
            logger.error("\(program.client.row.name) does not complete a notification; it is dropped")
        }
        guard !isTooOften, let message = message(row),
            program.queue.handleFailedDelivery(message, wasStarted: wasStarted)
        else { return end(row.id, program) }
        row.isDelivered = false
        program.update(row)
        // Without this, the next run of the service puts the notification back.
        do throws(DatabaseError) { try ledger.saveDelivery(of: row) } catch {
            logger.error("cannot store that a notification for \(program.client.row.name) waits: \(error)")
        }
    }
}
