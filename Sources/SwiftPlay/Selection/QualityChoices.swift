/// The variants of a stream among which the user can choose by hand. A pure value.
package struct QualityChoices: Sendable, Equatable {
    /// A variant with its names.
    package struct Option: Sendable, Equatable {
        /// The number of the variant in the playlist.
        package let index: Int
        /// A short name such as `1080p`, or the bit rate.
        package let name: String
        /// The name with size and bit rate, such as `1080p (1920x1080, 5.2 Mb/s)`.
        package let description: String
    }

    /// The variants that can be played, the best first. If several variants have the same description, only the first
    /// of them is listed.
    package let options: [Option]
    /// The number of the variant that is always played; nil if the choice is automatic.
    package let selectedIndex: Int?
    /// The number of the variant that was fetched last; nil if it is unknown.
    private let fetchedIndex: Int?

    /// Creates the choices among the variants of a stream.
    ///
    /// - Parameters:
    ///   - variants: The variants in the order of the playlist.
    ///   - selectedIndex: The number of the variant that the user has chosen for the item.
    ///   - preference: The player's preference among variants, for an item without a chosen variant.
    ///   - fetchedIndex: The number of the variant that was fetched last.
    package init(
        _ variants: [StreamVariant], selectedIndex: Int?, _ preference: StreamPreference = StreamPreference(),
        _ fetchedIndex: Int? = nil
    ) {
        var knownDescriptions: Set<String> = []
        let sortedVariants = variants.filter(\.isPlayable).enumerated().sorted {
            ($1.element.bandwidth, $0.offset) < ($0.element.bandwidth, $1.offset)
        }.map(\.element)
        let options = sortedVariants.map(Option.init).filter { knownDescriptions.insert($0.description).inserted }
        /// Returns the index of the option for a variant: of the variant itself, or of another variant with the same
        /// description.
        func optionIndex(ofVariant number: Int?) -> Int? {
            guard let number, let variant = sortedVariants.first(where: { $0.index == number }) else { return nil }
            let description = Option(variant).description
            return options.first { $0.description == description }?.index
        }
        self.options = options
        self.fetchedIndex = optionIndex(ofVariant: fetchedIndex)
        let preferredIndex: Int? =
            switch preference.quality {
            case .automatic: nil
            case .lowest: sortedVariants.last?.index
            case .highest: sortedVariants.first?.index
            }
        self.selectedIndex = optionIndex(ofVariant: selectedIndex) ?? optionIndex(ofVariant: preferredIndex)
    }

    /// Whether the user has no choice, because there are fewer than two options.
    package var isEmpty: Bool { options.count < 2 }

    /// The short name of the selection, such as `1080p` or `auto`.
    package var name: String { option(selectedIndex)?.name ?? "auto" }

    /// The selection as text for the user. For an automatic choice, it includes the variant that is being fetched.
    package var description: String {
        if let option = option(selectedIndex) { return option.description }
        return "automatic" + (option(fetchedIndex).map { " (\($0.name))" } ?? "")
    }

    /// Returns the number of the variant that is `step` positions after the selected one; nil for an automatic choice,
    /// which comes before the best variant and after the lowest one.
    package func choice(after step: Int) -> Int? {
        let choiceCount = options.count + 1
        let position = options.firstIndex { $0.index == selectedIndex }.map { $0 + 1 } ?? 0
        let newPosition = ((position + step % choiceCount) + choiceCount) % choiceCount
        return newPosition == 0 ? nil : options[newPosition - 1].index
    }

    /// Returns the option with the number of a variant; nil if there is none.
    private func option(_ index: Int?) -> Option? { index.flatMap { index in options.first { $0.index == index } } }
}

extension QualityChoices.Option {
    /// Creates the option for a variant, with its names.
    init(_ variant: StreamVariant) {
        index = variant.index
        let (size, bitRate) = (variant.size, Self.bitRate(variant.bandwidth))
        let frameRateSuffix = variant.frameRate.map { $0 > 30.5 && $0 < 1000 ? "\(Int($0.rounded()))" : "" } ?? ""
        name = size.isEmpty ? bitRate : "\(min(size.width, size.height))p" + frameRateSuffix
        description = size.isEmpty ? bitRate : "\(name) (\(size.width)x\(size.height), \(bitRate))"
    }

    /// Returns a bit rate such as `5.2 Mb/s` or `845 kb/s`.
    static func bitRate(_ bitsPerSecond: Int) -> String {
        guard bitsPerSecond >= 999_500 else { return "\((bitsPerSecond + 500) / 1000) kb/s" }
        let tenthsOfMegabit = (bitsPerSecond / 1000 + 50) / 100
        return "\(tenthsOfMegabit / 10).\(tenthsOfMegabit % 10) Mb/s"
    }
}
