"""Cases of ai.onnx.ml: trees, support vectors, encoders, on numbers."""
import numpy as np
from onnx import numpy_helper

from node_case import case

ML = 'ai.onnx.ml'


def rng(seed):
    return np.random.default_rng(seed)


def forest(seed, trees, depth, features, modes=('BRANCH_LEQ',)):
    """Attributes nodes_* of full binary trees whose nodes are in order of depth, and the leaves as (tree, node)."""
    r = rng(seed)
    ids, tree, feature, value, mode, yes, no, leaves = [], [], [], [], [], [], [], []
    for t in range(trees):
        inner = 2**depth - 1
        for k in range(2*inner + 1):
            leaf = k >= inner
            ids.append(k)
            tree.append(t)
            feature.append(0 if leaf else int(r.integers(features)))
            value.append(0.0 if leaf else float(np.float32(r.normal())))
            mode.append('LEAF' if leaf else str(r.choice(modes)))
            yes.append(0 if leaf else 2*k + 1)
            no.append(0 if leaf else 2*k + 2)
            if leaf:
                leaves.append((t, k))
    return dict(nodes_nodeids=ids, nodes_treeids=tree, nodes_featureids=feature, nodes_values=value, nodes_modes=mode, nodes_truenodeids=yes,
                nodes_falsenodeids=no), leaves


def regressors():
    x = rng(1).normal(size=(5, 4)).astype(np.float32)
    for k, how in enumerate(['SUM', 'AVERAGE', 'MIN', 'MAX']):
        for targets in (1, 3):
            nodes, leaves = forest(10 + k, 3, 2, 4, ('BRANCH_LEQ', 'BRANCH_GT', 'BRANCH_LT', 'BRANCH_GTE'))
            votes = [(t, n, i) for t, n in leaves for i in range(targets)]
            attrs = dict(nodes, n_targets=targets, aggregate_function=how, target_treeids=[v[0] for v in votes], target_nodeids=[v[1] for v in votes],
                         target_ids=[v[2] for v in votes], target_weights=rng(k).normal(size=len(votes)).astype(np.float32).tolist())
            yield case('TreeEnsembleRegressor', x, domain=ML, domain_opset=3, **attrs)
            yield case('TreeEnsembleRegressor', x, domain=ML, domain_opset=1, judge='onnxruntime', base_values=[0.5, -1.0, 2.0][:targets], **attrs)
            yield case('TreeEnsembleRegressor', x.astype(np.float64), domain=ML, domain_opset=3, judge='onnxruntime', **attrs)
    nodes, leaves = forest(30, 2, 3, 4)
    attrs = dict(nodes, n_targets=2, target_treeids=[v[0] for v in leaves], target_nodeids=[v[1] for v in leaves],
                 target_ids=[k % 2 for k in range(len(leaves))], target_weights=rng(3).normal(size=len(leaves)).astype(np.float32).tolist())
    many, ends = forest(31, 1400, 3, 4)   # 21000 nodes; weights whose sums are exact
    yield case('TreeEnsembleRegressor', x, domain=ML, judge='onnxruntime', **many, n_targets=1, target_treeids=[t for t, n in ends], target_nodeids=[n for t, n in ends],
               target_ids=[0]*len(ends), target_weights=(rng(6).integers(-64, 64, len(ends))/64).tolist())
    missing = np.where(rng(4).uniform(size=(6, 4)) < 0.3, np.nan, rng(5).normal(size=(6, 4))).astype(np.float32)
    yield case('TreeEnsembleRegressor', missing, domain=ML, judge='onnxruntime', **attrs)
    yield case('TreeEnsembleRegressor', missing, domain=ML, judge='onnxruntime', nodes_missing_value_tracks_true=[1, 0, 1]*10, **attrs)
    for post in ('SOFTMAX', 'LOGISTIC', 'SOFTMAX_ZERO'):
        yield case('TreeEnsembleRegressor', x, domain=ML, judge='onnxruntime', post_transform=post, **attrs)


def ensembles():
    """TreeEnsemble of opset 5: branches to nodes or leaves, comparisons of every kind, sets of members. Neither judge has its post_transform."""
    for seed, targets, dtype in ((40, 1, np.float32), (41, 3, np.float32), (42, 2, np.float64)):
        r = rng(seed)
        x = r.integers(0, 6, (7, 4)).astype(dtype)
        inner, trees = 15, 3                                        # full trees of depth 4, whose nodes and leaves follow each other
        n, leaves = inner*trees, (inner + 1)*trees
        children = {side: [2*k + 1 + step for k in range(inner)] for side, step in (('true', 0), ('false', 1))}
        modes = r.integers(0, 7, n).astype(np.uint8)
        sets = [v for m in modes if m == 6 for v in [*r.choice(6, r.integers(1, 4), replace=False), np.nan]]
        attrs = dict(n_targets=targets, tree_roots=[inner*t for t in range(trees)], nodes_featureids=r.integers(0, 4, n).tolist(),
                     nodes_modes=numpy_helper.from_array(modes), nodes_splits=numpy_helper.from_array(r.integers(0, 6, n).astype(dtype)),
                     leaf_targetids=r.integers(0, targets, leaves).tolist(), leaf_weights=numpy_helper.from_array((r.integers(-64, 64, leaves)/64).astype(dtype)),
                     membership_values=numpy_helper.from_array(np.array(sets, dtype)))
        for side, own in children.items():
            attrs[f'nodes_{side}leafs'] = [int(k >= inner) for k in own]*trees
            attrs[f'nodes_{side}nodeids'] = [k - inner + t*(inner + 1) if k >= inner else k + t*inner for t in range(trees) for k in own]
        for how in range(4):
            yield case('TreeEnsemble', x, domain=ML, domain_opset=5, judge='onnxruntime', aggregate_function=how, **attrs)
        missing = np.where(r.uniform(size=x.shape) < 0.3, np.nan, x).astype(dtype)
        yield case('TreeEnsemble', missing, domain=ML, domain_opset=5, judge='onnxruntime', nodes_missing_value_tracks_true=r.integers(0, 2, n).tolist(), **attrs)
    length = 100                                                    # a tree as deep as it has nodes
    yield case('TreeEnsemble', rng(43).normal(2, 1, (7, 4)).astype(np.float32), domain=ML, domain_opset=5, n_targets=1, tree_roots=[0],
               nodes_featureids=rng(44).integers(0, 4, length).tolist(), nodes_modes=numpy_helper.from_array(np.zeros(length, np.uint8)),
               nodes_splits=numpy_helper.from_array(rng(45).normal(-1, 0.5, length).astype(np.float32)), nodes_truenodeids=list(range(length)),
               nodes_trueleafs=[1]*length, nodes_falsenodeids=[*range(1, length), length], nodes_falseleafs=[0]*(length - 1) + [1],
               leaf_targetids=[0]*(length + 1), leaf_weights=numpy_helper.from_array(np.arange(length + 1, dtype=np.float32)))


def classifiers():
    x = rng(6).normal(size=(5, 4)).astype(np.float32)
    for classes, ids in ((3, [0, 1, 2]), (2, [0, 1]), (2, [0])):
        nodes, leaves = forest(20 + classes, 3, 2, 4)
        votes = [(t, n, i) for t, n in leaves for i in ids]
        attrs = dict(nodes, class_treeids=[v[0] for v in votes], class_nodeids=[v[1] for v in votes], class_ids=[v[2] for v in votes],
                     class_weights=rng(7).normal(size=len(votes)).astype(np.float32).tolist(), classlabels_int64s=[4, -2, 9][:classes])
        single = len(ids) == 1                      # labels of two classes that both have votes are 0 and 1 to ONNX Runtime, whatever they are called
        for post in ('NONE', 'SOFTMAX', 'LOGISTIC', 'SOFTMAX_ZERO'):
            by = 'onnxruntime' if single else 'reference'
            yield case('TreeEnsembleClassifier', x, outputs=2, domain=ML, domain_opset=3, judge=by, post_transform=post, **attrs)
        yield case('TreeEnsembleClassifier', x, outputs=2, domain=ML, judge='onnxruntime' if single else 'reference',
                   base_values=[0.25, -0.5, 1.0][:1 if single else classes], **attrs)
    nodes, leaves = forest(24, 3, 2, 4)
    positive = dict(nodes, class_treeids=[v[0] for v in leaves], class_nodeids=[v[1] for v in leaves], class_ids=[0]*len(leaves),
                    class_weights=rng(8).uniform(size=len(leaves)).astype(np.float32).tolist(), classlabels_int64s=[0, 1])
    for post in ('NONE', 'LOGISTIC', 'SOFTMAX', 'SOFTMAX_ZERO'):
        yield case('TreeEnsembleClassifier', x, outputs=2, domain=ML, judge='onnxruntime', post_transform=post, **positive)
    yield from sparse_votes(x)
    for rows, classes in ((1, 2), (2, 2), (3, 3)):
        linear = dict(coefficients=rng(9).normal(size=4*rows).astype(np.float32).tolist(), intercepts=[0.1, -0.3, 0.2][:rows], classlabels_ints=[4, -2, 9][:classes])
        for post in ('NONE', 'LOGISTIC', 'SOFTMAX', 'SOFTMAX_ZERO'):
            yield case('LinearClassifier', x, outputs=2, domain=ML, judge='onnxruntime', post_transform=post, **linear)
            if rows > 1:                                            # fewer features than were learned
                yield case('LinearClassifier', x[:, :2], outputs=2, domain=ML, judge='onnxruntime', post_transform=post, **linear)


def sparse_votes(x):
    """Leaves that vote for some of the classes: those without a vote cannot win, whatever the score of the others is."""
    nodes, leaves = forest(25, 3, 2, 4)
    trees, ids = [t for t, n in leaves], [n for t, n in leaves]
    for seed, classes, voted, bases in ((0, 3, [0, 1, 2], (0, 3)), (1, 3, [2], (0, 3)), (2, 3, [1, 2], (0,)), (3, 2, [1], (0, 1)), (4, 2, [0], (0, 1, 2))):
        for low in (-1.0, 0.1):
            for post in ('NONE', 'SOFTMAX', 'LOGISTIC', 'SOFTMAX_ZERO'):
                for base in bases:
                    given = dict(base_values=[0.25, 0.75, 0.5][:base]) if base else {}
                    yield case('TreeEnsembleClassifier', x, outputs=2, domain=ML, judge='onnxruntime', post_transform=post, class_treeids=trees,
                               class_nodeids=ids, class_ids=[voted[k % len(voted)] for k in range(len(ids))], classlabels_int64s=[4, -2, 9][:classes],
                               class_weights=rng(seed).uniform(low, 0.5, len(ids)).astype(np.float32).tolist(), **nodes, **given)
    apart = {name: [3*k + 1 for k in nodes[name]] for name in ('nodes_nodeids', 'nodes_truenodeids', 'nodes_falsenodeids')}
    yield case('TreeEnsembleRegressor', x, domain=ML, judge='onnxruntime', n_targets=1, target_treeids=trees, target_nodeids=[3*k + 1 for k in ids],
               target_ids=[0]*len(ids), target_weights=(rng(6).integers(-64, 64, len(ids))/64).tolist(), **{**nodes, **apart})


def support_vectors():
    x = rng(9).normal(size=(5, 3)).astype(np.float32)
    vectors = rng(10).normal(size=(4, 3)).astype(np.float32)
    weights = rng(11).normal(size=4).astype(np.float32).tolist()
    for kind in ('LINEAR', 'POLY', 'RBF', 'SIGMOID'):
        for one_class in (0, 1):
            yield case('SVMRegressor', x, domain=ML, judge='onnxruntime', kernel_type=kind, kernel_params=[0.4, 0.3, 2.0], one_class=one_class,
                       n_supports=4, support_vectors=vectors.ravel().tolist(), coefficients=weights, rho=[0.1])
    yield case('SVMRegressor', x, domain=ML, judge='onnxruntime', kernel_type='LINEAR', coefficients=[0.5, -1.0, 2.0], rho=[0.3], kernel_params=[0.0, 0.0, 0.0])
    for classes in (2, 3):
        per_class = [2, 1, 2][:classes]
        n, pairs = sum(per_class), classes*(classes - 1)//2
        attrs = dict(support_vectors=rng(12).normal(size=3*n).astype(np.float32).tolist(), vectors_per_class=per_class, kernel_params=[0.4, 0.3, 2.0],
                     coefficients=rng(13).normal(size=(classes - 1)*n).astype(np.float32).tolist(), rho=rng(14).normal(size=pairs).astype(np.float32).tolist(),
                     classlabels_ints=[5, 3, 8][:classes])
        for kind in ('LINEAR', 'POLY', 'RBF', 'SIGMOID'):
            yield case('SVMClassifier', x, outputs=2, domain=ML, judge='onnxruntime', kernel_type=kind, **attrs)
            yield case('SVMClassifier', x, outputs=2, domain=ML, judge='onnxruntime', kernel_type=kind, prob_a=[-1.5]*pairs, prob_b=[0.2]*pairs, **attrs)
        for post in ('SOFTMAX', 'LOGISTIC', 'SOFTMAX_ZERO'):
            yield case('SVMClassifier', x, outputs=2, domain=ML, judge='onnxruntime', kernel_type='RBF', post_transform=post, **attrs)
    for labels in ([2, 7], [2, 7, 9]):
        yield case('SVMClassifier', x, outputs=2, domain=ML, kernel_type='LINEAR', rho=[0.1]*len(labels), kernel_params=[0.0, 0.0, 0.0],
                   coefficients=rng(15).normal(size=3*len(labels)).astype(np.float32).tolist(), classlabels_ints=labels)


def encoders():
    from onnx import numpy_helper

    def tensor(values, dtype):
        return numpy_helper.from_array(np.array(values, dtype))
    whole, real = np.array([[3, 1, 7], [2, 3, 5]]), np.array([[3, np.nan, 7], [2, 3.5, 5]], np.float32)
    # The standard divides by the maximum, its evaluator by that of the magnitudes.
    for norm in ('MAX', 'L1', 'L2'):
        yield case('Normalizer', np.array([[-1, -2, -4], [1, -3, 2], [0, 0, 0], [-1, 0, -2]], np.float32), domain=ML, norm=norm, judge='onnxruntime')
    yield case('Imputer', whole, domain=ML, imputed_value_int64s=[7, 8, 9], replaced_value_int64=3)
    yield case('LabelEncoder', whole, domain=ML, domain_opset=2, keys_int64s=[1, 2, 3], values_floats=[0.5, 1.5, -2.5], default_float=9.0)
    yield case('LabelEncoder', whole, domain=ML, domain_opset=2, keys_int64s=[1, 2, 3], values_int64s=[5, 1, -2])
    yield case('LabelEncoder', whole, domain=ML, domain_opset=4, keys_int64s=[1, 2, 3], values_int64s=[5, 1, -2], default_int64=42)
    yield case('LabelEncoder', real, domain=ML, domain_opset=4, keys_floats=[3.0, 2.0, float('nan')], values_int64s=[5, 1, -2], judge='onnxruntime')
    yield case('LabelEncoder', real, domain=ML, domain_opset=4, keys_floats=[3.0, 2.0, 5.0], values_floats=[5.0, 1.0, -2.0])
    yield case('LabelEncoder', whole, domain=ML, domain_opset=4, keys_tensor=tensor([1, 2, 3], np.int64), values_tensor=tensor([5, 1, -2], np.int64), default_tensor=tensor([7], np.int64))
    yield case('LabelEncoder', real.astype(np.float64), domain=ML, domain_opset=4, keys_tensor=tensor([2, 3, 5], np.float64), values_tensor=tensor([5, 1, -2], np.float64), default_tensor=tensor([7], np.float64))
    yield case('LabelEncoder', whole.astype(np.int16), domain=ML, domain_opset=4, keys_tensor=tensor([1, 2, 3], np.int16), values_tensor=tensor([5, 1, -2], np.int16), default_tensor=tensor([7], np.int16))


def cases():
    yield from regressors()
    yield from ensembles()
    yield from classifiers()
    yield from support_vectors()
    yield from encoders()
