import Testing

@testable import AudioPolicy

/// Tests which effect the activation of each kind of audio session has on each other active kind, against a table.
@Suite struct SessionActivationEffectTests {
    /// The kinds of sessions, and the system, with their abbreviations in ``expectedEffects``.
    static let sessionKinds: [(name: String, participant: SessionActivationEffect.Participant)] = {
        func makeParticipant(
            _ category: AudioCategory, _ mode: AudioMode = .default, _ options: AudioCategoryOptions = []
        )
            -> SessionActivationEffect.Participant
        {
            (try? AudioConfiguration(category: category, mode: mode, options: options)).map(
                SessionActivationEffect.Participant.program)
                ?? .system
        }
        return [
            ("AMB", makeParticipant(.ambient)), ("SOL", makeParticipant(.soloAmbient)),
            ("PLY", makeParticipant(.playback)),
            ("SPK", makeParticipant(.playback, .spokenAudio)),
            ("PLM", makeParticipant(.playback, .default, .mixWithOthers)),
            ("PLD", makeParticipant(.playback, .default, .duckOthers)),
            ("ISP", makeParticipant(.playback, .default, .interruptSpokenAudioAndMixWithOthers)),
            ("NAV", makeParticipant(.playback, .voicePrompt, [.interruptSpokenAudioAndMixWithOthers, .duckOthers])),
            ("REC", makeParticipant(.record)), ("VOI", makeParticipant(.playAndRecord, .voiceChat)),
            ("PRM", makeParticipant(.playAndRecord, .default, .mixWithOthers)),
            ("MUL", makeParticipant(.multiRoute)), ("SYS", .system),
        ]
    }()

    /// The expected effects. Rows: the active session. Columns: the session that activates, in the order of the rows,
    /// then the system. C: the active session continues, D: it is ducked, I: it is interrupted, d: the new session
    /// starts ducked.
    private static let expectedEffects = """
        AMB C C C C C D C D C C C C I
        SOL C I I I C D C D I I C I I
        PLY C I I I C D C D I I C I I
        SPK C I I I C D I I I I C I I
        PLM C C C C C D C D C C C C I
        PLD Cd Cd Cd Cd Cd C Cd C C Cd Cd Cd I
        ISP C C C C C D C D C C C C I
        NAV Cd Cd Cd Cd Cd C Cd C C Cd Cd Cd I
        REC C I I I C C C C I I C I I
        VOI C I I I C D C D I I C I I
        PRM C C C C C D C D C C C C I
        MUL C I I I C D C D I I C I I
        """

    /// Returns the effect of activating `activated` on the active participant `active`, in the notation of
    /// ``expectedEffects``.
    private static func computedEffect(
        _ active: SessionActivationEffect.Participant, _ activated: SessionActivationEffect.Participant
    ) -> String {
        let letter =
            switch SessionActivationEffect.of(activated, on: active) {
            case .continues: "C"
            case .ducked: "D"
            case .interrupted: "I"
            }
        guard case .program(let activatedConfiguration) = activated, case .program(let activeConfiguration) = active
        else { return letter }
        return letter
            + (SessionActivationEffect.startsDucked(activatedConfiguration, beside: activeConfiguration) ? "d" : "")
    }

    @Test func effectsOfActivationsMatchTheTable() {
        var effectCounts: [Character: Int] = [:]
        let rows = Self.expectedEffects.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.map(\.[0]) == Self.sessionKinds.dropLast().map(\.name))
        for (row, active) in zip(rows, Self.sessionKinds) {
            for (expected, activated) in zip(row.dropFirst(), Self.sessionKinds) {
                let computed = Self.computedEffect(active.participant, activated.participant)
                #expect(computed == expected, "\(active.name), then \(activated.name)")
                if activated.name != "SYS" { effectCounts[computed.first ?? "?", default: 0] += 1 }
            }
        }
        #expect(effectCounts == ["C": 89, "D": 17, "I": 38])
    }

    @Test func noProgramAffectsTheAudioOfTheSystem() {
        for (_, participant) in Self.sessionKinds.dropLast() {
            #expect(SessionActivationEffect.of(participant, on: .system) == .continues)
        }
    }

    @Test("spoken audio that mixes is interrupted only by sessions that interrupt spoken audio")
    func onlySpokenAudioInterruptersInterruptMixingSpokenAudio() throws {
        let mixingSpokenAudio = SessionActivationEffect.Participant.program(
            try AudioConfiguration(category: .playback, mode: .spokenAudio, options: .mixWithOthers))
        for (name, participant) in Self.sessionKinds.dropLast() {
            #expect(
                (SessionActivationEffect.of(participant, on: mixingSpokenAudio) == .interrupted)
                    == (name == "ISP" || name == "NAV"),
                "\(name)")
        }
    }
}
