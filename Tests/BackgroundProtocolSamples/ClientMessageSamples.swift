import BackgroundProtocol

/// Messages between programs and the service: at least one of each kind, with long and with missing values.
package enum ClientMessageSamples {
    package static let request: TaskRequest = {
        var request = TaskRequest(
            uuid: Array(0..<16),
            request: TransferRequest(
                address: "https://example.org/film.mkv", fields: [HeaderField("Authorization", "x", isSecret: true)]))
        request.hasDirectory = true
        request.fileName = "Füm.mkv"
        request.description = String(repeating: "ü", count: 500)
        request.priority = 1
        request.earliestBegin = 1 << 60
        request.isDiscretionary = true
        return request
    }()

    package static let preferences: StreamPreferences = {
        var preferences = StreamPreferences()
        (preferences.maximumHeight, preferences.maximumBitRate) = (720, .max)
        (preferences.audioLanguages, preferences.subtitleLanguages) = (["de", "pt-BR"], ["en"])
        return preferences
    }()

    package static let package: TaskRequest = {
        var package = request
        package.stream = preferences
        return package
    }()

    package static let verified: TaskRequest = {
        var verified = request
        verified.digest = ContentDigest((0..<32).map { 255 - $0 })
        return verified
    }()

    package static let upload: TaskRequest = {
        var request = TaskRequest(
            uuid: [UInt8](repeating: 255, count: 16),
            request: TransferRequest(address: "http://example.org/", method: "PUT", allowsInsecureHTTP: true))
        request.upload = "/films/film.mkv"
        return request
    }()

    package static let task: TaskSnapshot = {
        var task = TaskSnapshot(
            id: .max, session: 1, number: 2, program: "player", identifier: "downloads",
            address: "https://example.org/film.mkv", description: "Episode 1",
            activity: TaskSnapshot.Activity(.waiting, "waiting for the disk", errorCode: -1001),
            file: TaskSnapshot.File(directory: "/films", name: "film.mkv", isKept: true),
            bytes: TaskSnapshot.Bytes(done: 5, total: 1 << 40, isUpload: true, isResumable: false))
        task.status = 404
        task.package = PackageProgress(loaded: 5, total: .max, finishedParts: 1, parts: .max)
        return task
    }()

    package static let waking: ProgramDescription = {
        var program = ProgramDescription(name: "player", launchArguments: [])
        program.modes = [.fetch, .remoteNotification]
        return program
    }()

    package static let push: PushMessage = {
        var message = PushMessage(program: "player", identifier: "1", payload: [0, 255])
        (message.collapseKey, message.isUrgent) = ("feed", false)
        return message
    }()

    package static let program: BackgroundProgram = {
        var program = BackgroundProgram(name: "player", modes: .fetch)
        (program.isRunning, program.isInForeground, program.isForceQuit) = (true, false, true)
        (program.nextFetch, program.habits) = ("running now", "weekdays 13:00")
        (program.usage.wakes, program.usage.wakeLimit, program.usage.wallTime) = (1, 48, 3)
        (program.usage.cpuTime, program.usage.bytes) = (4, 5)
        (program.notifications.received, program.notifications.delivered) = (6, 7)
        (program.notifications.replaced, program.notifications.waiting) = (8, 9)
        return program
    }()

    package static let commands: [ClientCommand] =
        [
            .hello(newest: 1, oldest: 1, ProgramDescription(name: "player")),
            .hello(
                newest: 9, oldest: 2,
                ProgramDescription(name: "ü", launchArguments: ["", "--background"], isBackgroundStart: true)),
            .attach(identifier: "downloads", SessionConfiguration()), .detach(session: .max),
            .create(session: 1, request), .create(session: 1, upload), .create(session: 1, package),
            .create(session: 1, verified),
            .resume(task: 1), .suspend(task: 2), .cancel(task: .max), .list(session: nil), .list(session: 3),
            .watch(true),
            .acknowledge(session: 1, sequence: .max), .eventsHandled(session: 1), .setPriority(task: 1, 0.25),
            .requestFinishedEvents(session: .max), .setAside(task: .max),
            .takeBack(session: 1, ResumeToken(task: .min, address: "https://example.org/film.mkv")),
            .authenticate(task: 1, user: "user", password: "ü"),
            .hello(newest: 1, oldest: 1, waking), .setFetchInterval(nil), .setFetchInterval(0), .setFetchInterval(3600),
            .completeFetch(token: .max, .noData), .completeNotification(id: 1, .failed), .push(push), .listPrograms,
            .registerForNotifications(true), .registerForNotifications(false), .setPushServer(nil),
            .registerForEncryptedNotifications,
            .setPushServer("https://ntfy.sh"),
        ] + ProgramPresence.allCases.map { .setPresence($0) }
        + ProgramAction.allCases.map { .control(program: "player", $0) }

    package static let events: [ClientEvent] =
        [
            .welcome(command: .max, version: 1), .done(command: 2), .attached(command: 1, session: 5),
            .created(command: 1, task), .task(task), .progress(task: 1, done: 5, total: nil),
            .progress(task: 1, done: 5, total: .max), .resumed(task: 1, offset: 7, total: 9),
            .event(ClientEvent.SessionEvent(session: 1, sequence: 2, kind: .finished, task: task, hasFile: true)),
            .event(ClientEvent.SessionEvent(session: 1, sequence: 3, kind: .challenge, task: task)),
            .finishedEvents(session: 1), .eventsWaiting(identifier: "downloads"), .fetch(token: 1),
            .notification(id: 1, payload: [], sender: nil), .notification(id: .max, payload: [1, 2], sender: .local),
            .notification(id: 2, payload: [3], sender: .server), .wakeExpires,
            .registration(.endpoint("https://push.example.org/a")), .registration(.noDistributor),
            .pushServer(command: 7, "https://ntfy.sh"),
            .registration(.refused("a reason")),
            .program(program), .fetched(command: 1, nil, milliseconds: 2),
            .fetched(command: 1, .newData, milliseconds: .max),
        ] + PushMessage.Receipt.allCases.map { .received(command: 4, $0) }
        + ClientEvent.Refusal.Code.allCases.map { .refused(command: 3, ClientEvent.Refusal($0, "because")) }
}
