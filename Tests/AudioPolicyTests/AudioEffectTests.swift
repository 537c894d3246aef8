import Testing

@testable import AudioPolicy

/// The table of section 2.3, cell by cell: computed from five words on each side.
@Suite struct AudioEffectTests {
    static let archetypes: [(name: String, party: AudioEffect.Party)] = {
        func make(_ category: AudioCategory, _ mode: AudioMode = .default, _ options: AudioCategoryOptions = [])
            -> AudioEffect.Party
        {
            (try? AudioConfiguration(category: category, mode: mode, options: options)).map(AudioEffect.Party.program)
                ?? .system
        }
        return [
            ("AMB", make(.ambient)), ("SOL", make(.soloAmbient)), ("PLY", make(.playback)),
            ("SPK", make(.playback, .spokenAudio)),
            ("PLM", make(.playback, .default, .mixWithOthers)), ("PLD", make(.playback, .default, .duckOthers)),
            ("ISP", make(.playback, .default, .interruptSpokenAudioAndMixWithOthers)),
            ("NAV", make(.playback, .voicePrompt, [.interruptSpokenAudioAndMixWithOthers, .duckOthers])),
            ("REC", make(.record)), ("VOI", make(.playAndRecord, .voiceChat)),
            ("PRM", make(.playAndRecord, .default, .mixWithOthers)),
            ("MUL", make(.multiRoute)), ("SYS", .system),
        ]
    }()

    /// Row: active first; column: activated then. C continue, D duck, I interrupted, d the new one is born ducked.
    private static let table = """
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

    private static func cell(_ old: AudioEffect.Party, _ new: AudioEffect.Party) -> String {
        let letter =
            switch AudioEffect.of(new, on: old) {
            case .goesOn: "C"
            case .ducked: "D"
            case .interrupted: "I"
            }
        guard case .program(let newOne) = new, case .program(let oldOne) = old else { return letter }
        return letter + (AudioEffect.isBornDucked(newOne, beside: oldOne) ? "d" : "")
    }

    @Test func everyCellIsTheTable() {
        var counts: [Character: Int] = [:]
        let rows = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.map(\.[0]) == Self.archetypes.dropLast().map(\.name))
        for (row, old) in zip(rows, Self.archetypes) {
            for (expected, new) in zip(row.dropFirst(), Self.archetypes) {
                let computed = Self.cell(old.party, new.party)
                #expect(computed == expected, "\(old.name), then \(new.name)")
                if new.name != "SYS" { counts[computed.first ?? "?", default: 0] += 1 }
            }
        }
        #expect(counts == ["C": 89, "D": 17, "I": 38])
    }

    @Test func nobodyIsStrongerThanTheSystem() {
        for (_, party) in Self.archetypes.dropLast() { #expect(AudioEffect.of(party, on: .system) == .goesOn) }
    }

    @Test("spoken audio that mixes is paused by who asks for that, all the same")
    func spokenAndMixing() throws {
        let spoken = AudioEffect.Party.program(
            try AudioConfiguration(category: .playback, mode: .spokenAudio, options: .mixWithOthers))
        for (name, party) in Self.archetypes.dropLast() {
            #expect((AudioEffect.of(party, on: spoken) == .interrupted) == (name == "ISP" || name == "NAV"), "\(name)")
        }
    }
}
